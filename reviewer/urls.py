"""Every address of the product, in one flat list."""

from django.urls import path

from reviewer.views import (
    check_pages,
    comparing,
    desk,
    desk_learning,
    desk_standing,
    details,
    editing,
    export_pages,
    files,
    finding_acts,
    gate_pages,
    health,
    history,
    home,
    learning_acts,
    learning_files,
    learning_pages,
    members,
    model_pages,
    model_settings,
    own_finding,
    policy,
    proposals,
    reading_acts,
    rubric_pages,
    sessions,
    sheet_pages,
    sources,
    triage_acts,
    uploads,
)

W = "w/<slug:workspace>/"
P = W + "proposals/<int:proposal>/"
V = P + "v/<int:number>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    # Sign-in
    path("sign-in/", sessions.SignIn.as_view(), name="sign-in"),
    path("sign-out/", sessions.SignOut.as_view(), name="sign-out"),
    path("password/", sessions.PasswordChange.as_view(), name="password-change"),
    path("password/reset/", sessions.PasswordReset.as_view(), name="password-reset"),
    path("password/reset/sent/", sessions.PasswordResetSent.as_view(), name="password-reset-sent"),
    path(
        "password/reset/<uidb64>/<token>/",
        sessions.PasswordResetConfirm.as_view(),
        name="password-reset-confirm",
    ),
    # The list and what arrives
    path(W + "proposals/", proposals.proposals, name="proposals"),
    path(W + "upload/", uploads.upload, name="upload"),
    path(W + "uploads/<int:pk>/", uploads.upload_result, name="upload-result"),
    # One proposal
    path(P + "versions/new/", uploads.new_version, name="new-version"),
    path(P + "edit/", editing.edit, name="edit"),
    path(P + "details/", details.details, name="details"),
    path(P + "archive/", details.archive, name="archive"),
    path(P + "restore/", details.restore, name="restore"),
    path(P + "delete/", details.delete, name="delete"),
    path(P + "sources/", sources.sources, name="sources"),
    path(P + "sources/<int:pk>/remove/", sources.source_remove, name="source-remove"),
    path(V + "retry/", uploads.retry, name="retry-conversion"),
    # The desk, and what is done on it
    path(P, desk.desk, name="desk"),
    path(V, desk.desk, name="desk-version"),
    path(V + "progress/", reading_acts.progress, name="progress"),
    path(V + "standing/", desk_standing.standing, name="standing"),
    path(V + "conversion/", reading_acts.converting, name="conversion-progress"),
    path(V + "findings/<int:finding>/learn/", desk_learning.finding_learn, name="finding-learn"),
    path(P + "findings/<int:finding>/alike/", desk_learning.finding_alike, name="finding-alike"),
    path(V + "findings/<int:finding>/more/", triage_acts.more, name="finding-more"),
    path(
        V + "findings/<int:finding>/triage/<slug:act>/", triage_acts.triage_act, name="triage-act"
    ),
    path(V + "findings/<int:finding>/<slug:act>/", finding_acts.finding_act, name="finding-act"),
    path(P + "findings/<int:finding>/", history.finding_history, name="finding-history"),
    path(P + "findings/<int:finding>/comment/", history.comment, name="finding-comment"),
    path(V + "findings/own/", own_finding.own_finding, name="own-finding"),
    path(V + "dismiss-kind/", finding_acts.dismiss_kind, name="dismiss-kind"),
    path(V + "undo/", finding_acts.undo, name="undo"),
    path(V + "against/<int:other>/", comparing.compare, name="compare"),
    path(V + "read/", reading_acts.read, name="read"),
    path(V + "cancel/", reading_acts.cancel, name="cancel"),
    # The way out
    path(V + "gate/", gate_pages.gate, name="gate"),
    path(V + "gate/ask/", gate_pages.gate_ask, name="gate-ask"),
    path(V + "gate/approve/", gate_pages.gate_approve, name="gate-approve"),
    path(V + "gate/no/", gate_pages.gate_refuse, name="gate-refuse"),
    path(V + "gate/waive/", gate_pages.gate_waive, name="gate-waive"),
    path(V + "gate/waive/<int:waiver>/back/", gate_pages.gate_take_back, name="gate-take-back"),
    path(V + "gate/read/", gate_pages.gate_read, name="gate-read"),
    path(V + "export/", export_pages.export_version, name="export-version"),
    path(W + "exports/", export_pages.exports, name="exports"),
    path(W + "exports/<int:number>/", export_pages.export, name="export"),
    path(W + "exports/<int:number>/<slug:which>/", export_pages.export_file, name="export-file"),
    # Stored files
    path(W + "sheets/<int:pk>/image/", files.sheet_image, name="sheet-image"),
    path(W + "sheets/<int:pk>/thumb/", files.sheet_thumb, name="sheet-thumb"),
    path(W + "sheets/<int:pk>/closer/", sheet_pages.sheet_closer, name="sheet-closer"),
    path(W + "sheets/<int:pk>/text/", sheet_pages.sheet_text, name="sheet-text"),
    path(W + "versions/<int:pk>/original/", files.original, name="original"),
    path(W + "versions/<int:pk>/pdf/", files.pdf, name="pdf"),
    # What the house learned
    path(W + "learnings/", learning_pages.learnings, name="learnings"),
    path(W + "learnings/new/", learning_pages.learning_new, name="learning-new"),
    path(W + "learnings/dismiss/", learning_acts.offer_dismiss, name="offer-dismiss"),
    path(W + "learnings/export/", learning_files.learnings_export, name="learnings-export"),
    path(W + "learnings/import/", learning_files.learnings_import, name="learnings-import"),
    path(W + "learnings/<int:number>/", learning_pages.learning, name="learning"),
    path(W + "learnings/<int:number>/<slug:act>/", learning_acts.learning_act, name="learning-act"),
    # Who reads
    path(W + "models/", model_pages.models, name="models"),
    path(W + "models/answers/", model_pages.answers, name="answers"),
    path(W + "models/answers/<int:pk>/", model_pages.answer, name="answer"),
    path(W + "models/replay/", model_pages.replay, name="replay"),
    path(W + "models/queue/", model_pages.queue, name="queue"),
    path(W + "models/queue/<int:pk>/retry/", model_pages.queue_retry, name="queue-retry"),
    path(W + "models/settings/", model_settings.model_settings, name="model-settings"),
    path(W + "models/settings/key/forget/", model_settings.key_forget, name="key-forget"),
    path(W + "models/settings/prices/", model_settings.model_prices, name="model-prices"),
    path(W + "models/try/", model_settings.try_this_model, name="try-model"),
    path(W + "models/calibrate/", model_settings.calibrate, name="calibrate"),
    # What holds
    path(W + "rubric/", rubric_pages.rubric, name="rubric"),
    path(W + "checks/", check_pages.checks, name="checks"),
    path(W + "policy/", policy.policy, name="policy"),
    # People
    path(W + "members/", members.members, name="members"),
    path(W + "members/<int:pk>/role/", members.member_change, name="member-change"),
    path(W + "members/<int:pk>/remove/", members.member_remove, name="member-remove"),
]

handler400 = "reviewer.views.bad_request.bad_request"
