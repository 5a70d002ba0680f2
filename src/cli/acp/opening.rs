//! A session is opened for the client: a new one, or an earlier one of the same folder. Files are read and key commands run here,
//! so it happens beside the connection.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::client_end::ClientEnd;
use super::client_files::ClientFiles;
use super::methods::session_new::Place;
use super::rpc::RpcError;
use crate::agent::Attendance;
use crate::cli::outcome::complain;
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Listed, Table, list, list_known};
use crate::config::{self, Flags, Invocation};
use crate::runtime::EditorFiles;
use crate::session::compose::{Session, check_earlier, compose_beside};
use crate::session::{Keeping, SessionChoice};

/// What every session of a connection begins with.
#[derive(Debug, Clone)]
pub(super) struct SessionDefaults {
    /// The flags of the command line.
    pub(super) flags: Arc<Flags>,
    /// The environment.
    pub(super) environment: Environment,
}

/// Which session is opened, and what is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Which {
    /// A new one.
    New,
    /// This one; all that happened is told.
    Load(String),
    /// This one; nothing of the past is told.
    Resume(String),
}

/// A session that is ready to run.
pub(super) struct Opened {
    /// What it was started with.
    pub(super) invocation: Invocation,
    /// It.
    pub(super) session: Session,
    /// The models that are known.
    pub(super) models: Vec<Listed>,
    /// The same with those of servers, when all have answered.
    pub(super) all_models: oneshot::Receiver<Vec<Listed>>,
    /// What a person should be told.
    pub(super) notices: Vec<String>,
    /// The client's file system, if it has one.
    pub(super) files: Option<ClientFiles>,
}

impl Which {
    /// The id of an earlier session.
    pub(super) fn earlier(&self) -> Option<&str> {
        match self {
            Self::New => None,
            Self::Load(id) | Self::Resume(id) => Some(id),
        }
    }
}

impl SessionDefaults {
    /// What a session would be opened with, and what is to be said of it.
    fn invocation(&self, place: &Place) -> Result<(Invocation, Vec<String>), RpcError> {
        let cwd = folder(&place.cwd)?;
        let servers = place.servers()?;
        let mut config = config::load(&cwd, &self.environment, &self.flags.given()).map_err(told)?;
        let refused = servers.into_iter().filter_map(|server| config.add_client_server(server).err());
        let notices: Vec<String> = refused.collect();
        Ok((Invocation::new(cwd, self.environment.clone(), config), notices))
    }

    /// Whether a session that is open could be opened anew: found out before it is closed for that.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) fn check(&self, which: &Which, place: &Place) -> Result<(), RpcError> {
        let (invocation, _) = self.invocation(place)?;
        let Some(id) = which.earlier() else { return Ok(()) };
        check_earlier(&invocation, &SessionChoice::Session(id.to_owned())).map_err(told)
    }

    /// Opens a session.
    ///
    /// # Errors
    /// A folder that is none, a session of another folder, a configuration that cannot be; in words.
    pub(super) fn open(&self, which: &Which, place: &Place, client: &ClientEnd) -> Result<Opened, RpcError> {
        let (invocation, mut notices) = self.invocation(place)?;
        // Servers are asked for their models meanwhile, and nobody waits for them.
        let (config, environment) = (invocation.config.clone(), invocation.environment.clone());
        let (answers, all_models) = oneshot::channel();
        // Nobody listens when the session has ended before.
        std::thread::spawn(move || answers.send(list(&config, &environment, &Table::embedded())).is_ok());
        let earlier = which.earlier().map(|id| SessionChoice::Session(id.to_owned()));
        let keeping = Keeping::from(earlier.as_ref());
        let files = ClientFiles::of(client, &invocation.cwd, &place.cwd);
        let editor = files.clone().map(|files| Arc::new(files) as Arc<dyn EditorFiles>);
        let session = compose_beside(&invocation, keeping, Attendance::Program, editor).map_err(told)?;
        if let Some(files) = &files {
            files.opened(&session.id);
        }
        notices.extend(session.notices.iter().cloned());
        for notice in &notices {
            complain(&format!("note: {}", one_line(notice)));
        }
        let models = list_known(&invocation.config, &invocation.environment, &Table::embedded());
        Ok(Opened { invocation, session, models, all_models, notices, files })
    }
}

/// The folder of a session.
fn folder(cwd: &str) -> Result<PathBuf, RpcError> {
    let path = Path::new(cwd);
    if !path.is_absolute() {
        return Err(RpcError::params("cwd is not absolute"));
    }
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(RpcError::params(format!("{} is not a folder", path.display()))),
        Err(why) => Err(RpcError::params(format!("cannot work in {}: {why}", path.display()))),
    }
}

fn told(fault: Fault) -> RpcError {
    let next = if fault.next.is_empty() { String::new() } else { format!("; next: {}", fault.next) };
    RpcError::internal(one_line(&format!("{}{next}", fault.message)))
}
