//! What the model is shown.
