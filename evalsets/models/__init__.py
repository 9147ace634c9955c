"""The tables of the data that an evaluation is made of."""

from evalsets.models.corpora import Corpus, Document, Lifecycle, Section, Snapshot, sha256_of
from evalsets.models.eval_sets import EvalSet, Gain, Invitation, Membership, Role, Scale, Unit
from evalsets.models.gold import GoldLabel, GoldQuery, GoldSet, Provenance
from evalsets.models.jobs import Job, JobState
from evalsets.models.json_lists import Holds, IsEmptyList
from evalsets.models.pools import Candidate, Contribution, Pool
from evalsets.models.queries import ExpectedBehaviour, Query, Split
from evalsets.models.runs import Answer, AnswerEvent, Family, Result, Retriever, Run, RunState, Stage
from evalsets.models.uploads import Import, ImportState, Upload, UploadPart

__all__ = [
    "Answer",
    "AnswerEvent",
    "Candidate",
    "Contribution",
    "Corpus",
    "Document",
    "EvalSet",
    "ExpectedBehaviour",
    "Family",
    "Gain",
    "GoldLabel",
    "GoldQuery",
    "GoldSet",
    "Holds",
    "Import",
    "ImportState",
    "Invitation",
    "IsEmptyList",
    "Job",
    "JobState",
    "Lifecycle",
    "Membership",
    "Pool",
    "Provenance",
    "Query",
    "Result",
    "Retriever",
    "Role",
    "Run",
    "RunState",
    "Scale",
    "Section",
    "Snapshot",
    "Split",
    "Stage",
    "Unit",
    "Upload",
    "UploadPart",
    "sha256_of",
]
