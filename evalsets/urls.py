"""Urls of the data that an evaluation is made of. Names are `evalsets:verb_noun`; all of one eval set stand under `sets/<slug>/`."""

from django.urls import URLPattern, path

from evalsets.views import eval_sets, gold_sets, members

app_name = "evalsets"

urlpatterns: list[URLPattern] = [
    path("", eval_sets.list_eval_sets, name="list_eval_sets"),
    path("sets/new/", eval_sets.create, name="create_eval_set"),
    path("sets/<slug:slug>/", eval_sets.view_eval_set, name="view_eval_set"),
    path("sets/<slug:slug>/gold/", gold_sets.list_gold_sets, name="list_gold_sets"),
    path("sets/<slug:slug>/gold/import/", gold_sets.import_gold_set, name="import_gold_set"),
    path("sets/<slug:slug>/gold/<int:number>/", gold_sets.view_gold_set, name="view_gold_set"),
    path("sets/<slug:slug>/gold/<int:number>/export/", gold_sets.export_gold_set, name="export_gold_set"),
    path("sets/<slug:slug>/settings/", eval_sets.edit_eval_set, name="edit_eval_set"),
    path("sets/<slug:slug>/members/", members.list_members, name="list_members"),
    path("sets/<slug:slug>/members/invite/", members.invite_member, name="invite_member"),
    path("sets/<slug:slug>/members/<int:pk>/role/", members.change_role, name="change_role"),
    path("sets/<slug:slug>/members/<int:pk>/remove/", members.remove_member, name="remove_member"),
    path("sets/<slug:slug>/invitations/<int:pk>/revoke/", members.revoke_invitation, name="revoke_invitation"),
]
