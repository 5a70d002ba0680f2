//! The methods of the protocol, a file each: what a client may send with it, and what it is answered.

pub(super) mod authenticate;
pub(super) mod elicitation_create;
pub(super) mod initialize;
pub(super) mod session_cancel;
pub(super) mod session_close;
pub(super) mod session_delete;
pub(super) mod session_list;
pub(super) mod session_load;
pub(super) mod session_new;
pub(super) mod session_prompt;
pub(super) mod session_request_permission;
pub(super) mod session_resume;
pub(super) mod session_set_config_option;
pub(super) mod session_set_mode;
