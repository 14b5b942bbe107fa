"""The closed lists of the specification. Each name may also be written in capitals."""

from enum import StrEnum


class TaskType(StrEnum):
    """What kind of prediction a task asks for."""

    classification = "classification"
    regression = "regression"
    image_classification = "image_classification"
    image_to_image = "image_to_image"
    text_classification = "text_classification"
    audio_classification = "audio_classification"
    sequence_to_sequence = "sequence_to_sequence"
    tabular = "tabular"

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    IMAGE_CLASSIFICATION = "image_classification"
    IMAGE_TO_IMAGE = "image_to_image"
    TEXT_CLASSIFICATION = "text_classification"
    AUDIO_CLASSIFICATION = "audio_classification"
    SEQUENCE_TO_SEQUENCE = "sequence_to_sequence"
    TABULAR = "tabular"


class DataModality(StrEnum):
    """What the data are made of."""

    tabular = "tabular"
    image = "image"
    text = "text"
    audio = "audio"
    mixed = "mixed"

    TABULAR = "tabular"
    IMAGE = "image"
    TEXT = "text"
    AUDIO = "audio"
    MIXED = "mixed"


class MetricDirection(StrEnum):
    """Which way is better."""

    maximize = "maximize"
    minimize = "minimize"

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"


class SolutionPhase(StrEnum):
    """Which part of the pipeline made a script."""

    init = "init"
    merged = "merged"
    refined = "refined"
    ensemble = "ensemble"
    final = "final"

    INIT = "init"
    MERGED = "merged"
    REFINED = "refined"
    ENSEMBLE = "ensemble"
    FINAL = "final"


class CodeBlockCategory(StrEnum):
    """What a part of a script is for."""

    preprocessing = "preprocessing"
    feature_engineering = "feature_engineering"
    model_selection = "model_selection"
    training = "training"
    hyperparameter_tuning = "hyperparameter_tuning"
    ensemble = "ensemble"
    postprocessing = "postprocessing"
    other = "other"

    PREPROCESSING = "preprocessing"
    FEATURE_ENGINEERING = "feature_engineering"
    MODEL_SELECTION = "model_selection"
    TRAINING = "training"
    HYPERPARAMETER_TUNING = "hyperparameter_tuning"
    ENSEMBLE = "ensemble"
    POSTPROCESSING = "postprocessing"
    OTHER = "other"


class AgentType(StrEnum):
    """The fourteen agents."""

    retriever = "retriever"
    init = "init"
    merger = "merger"
    ablation = "ablation"
    summarize = "summarize"
    extractor = "extractor"
    coder = "coder"
    planner = "planner"
    ens_planner = "ens_planner"
    ensembler = "ensembler"
    debugger = "debugger"
    leakage = "leakage"
    data = "data"
    test = "test"

    RETRIEVER = "retriever"
    INIT = "init"
    MERGER = "merger"
    ABLATION = "ablation"
    SUMMARIZE = "summarize"
    EXTRACTOR = "extractor"
    CODER = "coder"
    PLANNER = "planner"
    ENS_PLANNER = "ens_planner"
    ENSEMBLER = "ensembler"
    DEBUGGER = "debugger"
    LEAKAGE = "leakage"
    DATA = "data"
    TEST = "test"
