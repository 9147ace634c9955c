"""`manage.py load_demo`: load the demo, or find it loaded, and print one sign-in for each role."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from evalsets.demo_people import one_for_each_role
from labelling.demo import load_demo


class Command(BaseCommand):
    help = (
        "Load the demo (a fictional handbook, real retrieval, half of the pool judged). A second call changes nothing."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        eval_set, sign_ins = load_demo(say=self.stdout.write)
        self.stdout.write(f"\nThe demo is the eval set “{eval_set}”. Sign in as")
        for one in one_for_each_role(sign_ins):
            self.stdout.write(
                f"  {one.role:<14} {one.username:<8} {one.password or '(the password that it had before)'}"
            )
        self.stdout.write("")
