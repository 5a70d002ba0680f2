//! Mode, model and effort: set by the client, answered when the loop says that they are.

use serde_json::{Value, json};

use super::pending::PendingSetting;
use super::session_state::Conversation;
use crate::agent::Intent;
use crate::cli::acp::methods::session_set_config_option::{self as option, OptionSetting};
use crate::cli::acp::methods::session_set_mode;
use crate::cli::acp::rpc::RpcError;
use crate::policy::Mode;
use crate::ui::{Reply, Request};

impl Conversation {
    /// `session/set_mode`
    pub(super) async fn set_mode(&mut self, id: Value, params: Value) {
        match session_set_mode::read(params) {
            Ok(mode) => {
                self.put_mode(
                    PendingSetting { id, setting: OptionSetting::Mode(mode), tells_all: false },
                    mode,
                )
                .await
            }
            Err(why) => self.client.out.answer(&id, Err(why)).await,
        }
    }

    /// `session/set_config_option`
    pub(super) async fn set_option(&mut self, id: Value, params: Value) {
        let setting = match option::read(params) {
            Ok(setting) => setting,
            Err(why) => return self.client.out.answer(&id, Err(why)).await,
        };
        let pending = PendingSetting { id, setting: setting.clone(), tells_all: true };
        match setting {
            OptionSetting::Mode(mode) => self.put_mode(pending, mode).await,
            OptionSetting::Model(name) => {
                // A later one replaces one that is still looked for.
                self.drop_models().await;
                self.settings.push(pending);
                self.request(Request::ChooseModel(name)).await;
            }
            OptionSetting::Effort(effort) => {
                self.settings.push(pending);
                self.wish(Intent::SetEffort(effort)).await;
            }
        }
    }

    async fn put_mode(&mut self, pending: PendingSetting, mode: Mode) {
        if mode == self.options.mode {
            return self.is_set(&pending).await;
        }
        self.settings.push(pending);
        self.wish(Intent::SetMode(mode)).await;
    }

    async fn drop_models(&mut self) {
        let is_model = |one: &mut PendingSetting| matches!(one.setting, OptionSetting::Model(_));
        let earlier: Vec<PendingSetting> = self.settings.extract_if(.., is_model).collect();
        for one in earlier {
            let why = RpcError::request("another model was chosen meanwhile");
            self.client.out.answer(&one.id, Err(why)).await;
        }
    }

    /// The mode is what the first that waits wanted.
    pub(super) async fn mode_is_set(&mut self) {
        let mode = self.options.mode;
        let is_it = |one: &mut PendingSetting| one.setting == OptionSetting::Mode(mode);
        let set: Vec<PendingSetting> = self.settings.extract_if(.., is_it).collect();
        for one in set {
            self.is_set(&one).await;
        }
    }

    /// The loop has taken a model or an effort, in the order in which they were chosen.
    pub(super) async fn choice_is_made(&mut self) {
        let is_choice = |one: &PendingSetting| !matches!(one.setting, OptionSetting::Mode(_));
        if let Some(at) = self.settings.iter().position(is_choice) {
            let one = self.settings.remove(at);
            self.is_set(&one).await;
        }
    }

    async fn is_set(&self, pending: &PendingSetting) {
        let result =
            if pending.tells_all { json!({ "configOptions": self.options.all() }) } else { json!({}) };
        self.client.out.answer(&pending.id, Ok(result)).await;
    }

    /// The loop refused an effort. False: none waits.
    pub(super) async fn setting_refused(&mut self, why: &str) -> bool {
        let is_effort = |one: &PendingSetting| matches!(one.setting, OptionSetting::Effort(_));
        let Some(at) = self.settings.iter().position(is_effort) else { return false };
        let one = self.settings.remove(at);
        self.client.out.answer(&one.id, Err(RpcError::params(why))).await;
        true
    }

    /// What the session answers beside the loop.
    pub(super) async fn replied(&mut self, reply: Reply) {
        match reply {
            Reply::NoModel { name, why } => {
                let is_it = |one: &PendingSetting| one.setting == OptionSetting::Model(name.clone());
                if let Some(at) = self.settings.iter().position(is_it) {
                    let one = self.settings.remove(at);
                    self.client.out.answer(&one.id, Err(RpcError::params(why))).await;
                }
            }
            Reply::Notice(words) | Reply::Refused(words) | Reply::Done(words) => self.remark(&words).await,
            _ => tracing::debug!("a reply that nobody asked for"),
        }
    }

    /// The loop is over.
    pub(super) async fn end_settings(&mut self) {
        for one in std::mem::take(&mut self.settings) {
            self.client.out.answer(&one.id, Err(RpcError::request("the session has ended"))).await;
        }
    }
}
