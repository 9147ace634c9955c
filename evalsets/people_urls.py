"""Urls of signing in and out, of one's account, and of invitations."""

from django.contrib.auth import views as auth_views
from django.urls import URLPattern, path

from evalsets.views import people

app_name = "people"

urlpatterns: list[URLPattern] = [
    path("sign-in/", people.SignInView.as_view(), name="sign_in"),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign_out"),
    path("account/", people.view_account, name="view_account"),
    path("account/password/", people.ChangePasswordView.as_view(), name="change_password"),
    path("join/<str:token>/", people.accept, name="accept_invitation"),
    path("join/<str:token>/accept/", people.join, name="join"),
]
