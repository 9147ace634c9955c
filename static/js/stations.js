// On a narrow screen the stations scroll sideways: bring the present one into view.
document.querySelector(".station-nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
