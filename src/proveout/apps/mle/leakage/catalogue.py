"""What the names of common libraries mean for the rows that they see."""

from typing import Literal

Meaning = Literal[
    "transformer", "encoder", "selector", "target_encoder", "stateless", "model", "resampler",
    "splitter", "search", "pipeline", "clusterer", "other",
]  # fmt: skip


def words(text: str) -> frozenset[str]:
    """Names, written as a paragraph."""
    return frozenset(text.split())


ENCODERS = words(
    """
    LabelEncoder OrdinalEncoder OneHotEncoder LabelBinarizer MultiLabelBinarizer DictVectorizer
    BinaryEncoder BaseNEncoder StringIndexer StringLookup
    """
)
"""They learn which values exist. That rarely moves a score; reported at low severity."""

TARGET_ENCODERS = words(
    """
    TargetEncoder LeaveOneOutEncoder CatBoostEncoder JamesSteinEncoder MEstimateEncoder
    WOEEncoder GLMMEncoder QuantileEncoder MeanEncoder
    """
)

SELECTORS = words(
    """
    SelectKBest SelectPercentile SelectFpr SelectFdr SelectFwe SelectFromModel RFE RFECV
    GenericUnivariateSelect SequentialFeatureSelector VarianceThreshold BorutaPy
    """
)

STATELESS = words(
    """
    Normalizer FunctionTransformer HashingVectorizer FeatureHasher PolynomialFeatures Binarizer
    HashingEncoder MissingIndicator Rescaling AdditiveChi2Sampler
    """
)

TRANSFORMERS = words(
    """
    StandardScaler MinMaxScaler MaxAbsScaler RobustScaler QuantileTransformer PowerTransformer
    KBinsDiscretizer SimpleImputer KNNImputer IterativeImputer Imputer PCA IncrementalPCA
    KernelPCA SparsePCA TruncatedSVD NMF FastICA FactorAnalysis LatentDirichletAllocation TSNE
    UMAP Isomap LocallyLinearEmbedding MDS SpectralEmbedding CountVectorizer TfidfVectorizer
    TfidfTransformer SplineTransformer Tokenizer TextVectorization Normalization Discretization
    CountEncoder Winsorizer ColumnTransformer make_column_transformer
    make_union FeatureUnion DataFrameMapper TableVectorizer GapEncoder RandomTreesEmbedding
    Nystroem RBFSampler GaussianRandomProjection SparseRandomProjection RobustPCA
    Autoencoder MinHashEncoder
    """
)

CLUSTERERS = words(
    """
    KMeans MiniBatchKMeans DBSCAN HDBSCAN OPTICS AgglomerativeClustering GaussianMixture
    BayesianGaussianMixture MeanShift Birch SpectralClustering IsolationForest
    LocalOutlierFactor OneClassSVM EllipticEnvelope NearestNeighbors
    """
)

RESAMPLERS = words(
    """
    SMOTE SMOTENC SMOTEN BorderlineSMOTE SVMSMOTE KMeansSMOTE ADASYN RandomOverSampler
    RandomUnderSampler NearMiss TomekLinks SMOTEENN SMOTETomek ClusterCentroids
    EditedNearestNeighbours
    """
)

SPLITTERS = words(
    """
    KFold StratifiedKFold GroupKFold StratifiedGroupKFold TimeSeriesSplit ShuffleSplit
    StratifiedShuffleSplit GroupShuffleSplit RepeatedKFold RepeatedStratifiedKFold LeaveOneOut
    LeavePOut LeaveOneGroupOut LeavePGroupsOut PredefinedSplit MultilabelStratifiedKFold
    MultilabelStratifiedShuffleSplit PurgedGroupTimeSeriesSplit
    """
)
SHUFFLING_SPLITTERS = words(
    "ShuffleSplit StratifiedShuffleSplit RepeatedKFold RepeatedStratifiedKFold"
)
GROUP_SPLITTERS = frozenset(
    name for name in SPLITTERS if "Group" in name or name == "PredefinedSplit"
)

SEARCHES = words(
    """
    GridSearchCV RandomizedSearchCV HalvingGridSearchCV HalvingRandomSearchCV BayesSearchCV
    OptunaSearchCV TPOTClassifier TPOTRegressor
    """
)
PIPELINES = words("Pipeline make_pipeline imbpipeline ImbPipeline")

MODELS = words(
    """
    LinearRegression LogisticRegression LogisticRegressionCV Ridge RidgeCV Lasso LassoCV
    LassoLars ElasticNet ElasticNetCV BayesianRidge SVC SVR LinearSVC LinearSVR NuSVC NuSVR
    GaussianNB MultinomialNB BernoulliNB ComplementNB CategoricalNB Perceptron Lars
    HuberRegressor QuadraticDiscriminantAnalysis LinearDiscriminantAnalysis KernelRidge Sequential
    Prophet ARIMA SARIMAX
    CalibratedClassifierCV CatBoost Booster OneVsRestClassifier Model PLSRegression
    """
)
MADE_WITH_ROWS = words("OLS WLS GLS GLM Logit Probit MNLogit")
"""Models that are given target and features when they are made; `fit` is called without any."""
MODEL_ENDINGS = ("Classifier", "Regressor", "Regression", "Ranker", "NB", "SVM", "Estimator")
TRANSFORMER_ENDINGS = (
    "Scaler", "Imputer", "Vectorizer", "Transformer", "Discretizer", "Embedding", "Decomposition",
)  # fmt: skip


def meaning(name: str) -> Meaning:
    """Of a class, by the last part of its dotted name."""
    last = name.rpartition(".")[2]
    for names, found in _TABLES:
        if last in names:
            return found
    if last.endswith(MODEL_ENDINGS):
        return "model"
    if last.endswith(TRANSFORMER_ENDINGS):
        return "transformer"
    return "encoder" if last.endswith("Encoder") else "other"


_TABLES: tuple[tuple[frozenset[str], Meaning], ...] = (
    (ENCODERS, "encoder"),
    (TARGET_ENCODERS, "target_encoder"),
    (SELECTORS, "selector"),
    (STATELESS, "stateless"),
    (TRANSFORMERS, "transformer"),
    (CLUSTERERS, "clusterer"),
    (RESAMPLERS, "resampler"),
    (SPLITTERS, "splitter"),
    (SEARCHES, "search"),
    (PIPELINES, "pipeline"),
    (MODELS, "model"),
    (MADE_WITH_ROWS, "model"),
)

STATISTICS = words(
    """
    mean median std var mode quantile min max sum sem skew kurt kurtosis mad prod describe corr
    cov corrwith value_counts idxmax idxmin nanmean nanmedian nanstd nanvar nanmin nanmax nansum
    nanpercentile nanquantile percentile average amin amax ptp corrcoef histogram bincount agg
    aggregate size cumcount count nlargest nsmallest iqr zscore tmean gmean trim_mean 
    mutual_info_classif mutual_info_regression f_classif f_regression chi2 spearmanr pearsonr
    pivot_table crosstab first last ngroup entropy linregress argsort
    """
)
"""Functions and methods that say something about many rows at once."""
HARMLESS_STATISTICS = words("count cumcount size ngroup first last argsort ")
"""Statistics only within groups; of a whole column they are lengths or picks."""
SPREADING = words("rank qcut scale minmax_scale robust_scale maxabs_scale zscore")
"""Give every row a value that depends on the other rows."""

ROW_WISE = words("isnull isna notnull notna duplicated nunique unique dtypes astype")
"""What they tell is no reason to suspect what is derived from it."""

METRIC_ENDINGS = (
    "_score",
    "_error",
    "_loss",
    "_report",
    "_matrix",
    "_auc",
    "rmse",
    "rmsle",
    "mape",
)
METRICS = words(
    """
    accuracy_score roc_auc_score f1_score log_loss r2_score auc classification_report
    confusion_matrix cohen_kappa_score matthews_corrcoef roc_curve precision_recall_curve rmse
    mae mse mape smape hamming_loss accuracy binary_crossentropy
    """
)
NO_METRICS = words("cross_val_score decision_score best_score")

CROSS_VALIDATIONS = words("cross_val_score cross_validate cross_val_predict")
READERS = words(
    """
    read_csv read_parquet read_excel read_json read_feather read_table read_sql read_pickle
    read_sql_query read_hdf loadtxt genfromtxt load_svmlight_file load_dataset read_fwf scan_csv
    load_files
    """
)
TIME_WORDS = ("date", "time", "timestamp", "month", "year", "day", "week", "datetime")


def is_metric(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last not in NO_METRICS and (last in METRICS or last.endswith(METRIC_ENDINGS))


def is_dataset_loader(name: str) -> bool:
    """`load_iris`, `fetch_california_housing`, `make_classification`."""
    last = name.rpartition(".")[2]
    known = ("make_classification", "make_regression", "make_blobs", "make_moons", "make_circles")
    return last in known or (
        last.startswith(("load_", "fetch_")) and "sklearn" in name or last.startswith("fetch_")
    )


def looks_like_time(column: str) -> bool:
    return any(word in column.lower() for word in TIME_WORDS)
