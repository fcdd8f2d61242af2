"""model_names - What SavedModels call their files, tags, collections and signatures."""

# ---- Files ----

ASSETS_DIRECTORY = 'assets'
ASSETS_KEY = 'saved_model_assets'
DEBUG_DIRECTORY = 'debug'
DEBUG_INFO_FILENAME_PB = 'saved_model_debug_info.pb'
SAVED_MODEL_FILENAME_PB = 'saved_model.pb'
SAVED_MODEL_FILENAME_PBTXT = 'saved_model.pbtxt'
SAVED_MODEL_SCHEMA_VERSION = 1
VARIABLES_DIRECTORY = 'variables'
VARIABLES_FILENAME = 'variables'

# ---- Collections, and signatures that stand for operations ----

LEGACY_INIT_OP_KEY = 'legacy_init_op'
MAIN_OP_KEY = 'saved_model_main_op'
TRAIN_OP_KEY = 'saved_model_train_op'
INIT_OP_SIGNATURE_KEY = '__saved_model_init_op'
TRAIN_OP_SIGNATURE_KEY = '__saved_model_train_op'

# ---- Tags ----

GPU = 'gpu'
SERVING = 'serve'
TPU = 'tpu'
TRAINING = 'train'
EVAL = 'eval'

# ---- Signatures ----

CLASSIFY_INPUTS = 'inputs'
CLASSIFY_METHOD_NAME = 'tensorflow/serving/classify'
CLASSIFY_OUTPUT_CLASSES = 'classes'
CLASSIFY_OUTPUT_SCORES = 'scores'
DEFAULT_SERVING_SIGNATURE_DEF_KEY = 'serving_default'
PREDICT_INPUTS = 'inputs'
PREDICT_METHOD_NAME = 'tensorflow/serving/predict'
PREDICT_OUTPUTS = 'outputs'
REGRESS_INPUTS = 'inputs'
REGRESS_METHOD_NAME = 'tensorflow/serving/regress'
REGRESS_OUTPUTS = 'outputs'
