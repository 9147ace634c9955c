"""Urls of the data that an evaluation is made of. Names are `evalsets:verb_noun`; all of one eval set stand under `sets/<slug>/`."""

from django.urls import URLPattern, path

from evalsets.views import documents, eval_sets, gold_sets, imports, jobs, members, pools, queries, retrievers, runs

app_name = "evalsets"

urlpatterns: list[URLPattern] = [
    path("", eval_sets.list_eval_sets, name="list_eval_sets"),
    path("sets/new/", eval_sets.create, name="create_eval_set"),
    path("sets/<slug:slug>/", eval_sets.view_eval_set, name="view_eval_set"),
    path("sets/<slug:slug>/documents/", documents.list_documents, name="list_documents"),
    path("sets/<slug:slug>/documents/<int:pk>/", documents.view_document, name="view_document"),
    path("sets/<slug:slug>/documents/snapshots/", documents.list_snapshots, name="list_snapshots"),
    path(
        "sets/<slug:slug>/documents/snapshots/<int:number>/choose/", documents.choose_snapshot, name="choose_snapshot"
    ),
    path("sets/<slug:slug>/queries/", queries.list_queries, name="list_queries"),
    path("sets/<slug:slug>/queries/<int:pk>/", queries.view_query, name="view_query"),
    path("sets/<slug:slug>/retrievers/", retrievers.list_retrievers, name="list_retrievers"),
    path("sets/<slug:slug>/retrievers/new/", retrievers.add_retriever, name="create_retriever"),
    path("sets/<slug:slug>/retrievers/run/", retrievers.run_retrievers, name="run_retrievers"),
    path("sets/<slug:slug>/runs/", runs.list_runs, name="list_runs"),
    path("sets/<slug:slug>/runs/<int:number>/", runs.view_run, name="view_run"),
    path("sets/<slug:slug>/runs/<int:number>/queries/<int:pk>/", runs.view_answer, name="view_answer"),
    path("sets/<slug:slug>/pool/", pools.view_pool, name="view_pool"),
    path("sets/<slug:slug>/pool/build/", pools.build_pool, name="build_pool"),
    path("sets/<slug:slug>/pool/candidates/", pools.view_candidates, name="view_candidates"),
    path("sets/<slug:slug>/imports/", imports.list_imports, name="list_imports"),
    path("sets/<slug:slug>/imports/new/<slug:kind>/", imports.start_import, name="start_import"),
    path("sets/<slug:slug>/imports/<int:pk>/", imports.view_import, name="view_import"),
    path("sets/<slug:slug>/imports/<int:pk>/problems/", imports.export_problems, name="export_problems"),
    path("sets/<slug:slug>/imports/<int:pk>/confirm/", imports.confirm_import, name="confirm_import"),
    path("sets/<slug:slug>/imports/<int:pk>/cancel/", imports.cancel_import, name="cancel_import"),
    path("sets/<slug:slug>/jobs/<int:pk>/", jobs.view_job, name="view_job"),
    path("sets/<slug:slug>/jobs/<int:pk>/cancel/", jobs.cancel_job, name="cancel_job"),
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
