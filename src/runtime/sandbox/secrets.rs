//! Where people and programs keep their keys, in one list. A path that does not exist is hidden all the same.

use std::path::{Path, PathBuf};

/// Below the home folder. A folder stands for all it holds.
const IN_HOME: &[&str] = &[
    // keys
    ".ssh",
    ".gnupg",
    ".pki",
    ".age",
    ".config/age",
    ".config/sops",
    ".step",
    ".putty",
    // clouds and clusters
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gsutil",
    ".boto",
    ".s3cfg",
    ".oci",
    ".aliyun",
    ".bluemix",
    ".kube",
    ".minikube",
    ".docker/config.json",
    ".docker/contexts",
    ".config/containers/auth.json",
    ".config/doctl",
    ".config/hcloud",
    ".config/linode-cli",
    ".config/scw",
    ".config/openstack",
    ".config/rclone",
    ".rclone.conf",
    ".config/heroku",
    ".config/netlify",
    ".local/share/com.vercel.cli",
    ".config/flyctl",
    ".fly",
    ".wrangler",
    ".config/.wrangler",
    ".databrickscfg",
    ".snowflake",
    ".terraform.d",
    ".terraformrc",
    ".pulumi/credentials.json",
    ".vault-token",
    ".config/op",
    ".ansible/vault_pass",
    // forges and registries
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".cache/git/credential",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/tea",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".config/yarn",
    ".config/configstore",
    ".pypirc",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".config/pypoetry/auth.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".local/share/gem/credentials",
    ".bundle/config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet",
    ".config/NuGet",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".hex",
    // databases and mail
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".mongorc.js",
    ".config/msmtp",
    ".msmtprc",
    ".mutt",
    ".fetchmailrc",
    // models and their agents
    ".config/countersign",
    ".local/state/countersign",
    ".cache/huggingface/token",
    ".huggingface",
    ".openai",
    ".config/openai",
    ".anthropic",
    ".config/anthropic",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".config/github-copilot",
    ".config/goose",
    ".local/share/opencode",
    ".config/io.datasette.llm",
    // stores of passwords
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".local/share/bitwarden",
    // browsers and messages
    ".mozilla",
    ".thunderbird",
    ".librewolf",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".config/Signal",
    ".config/Slack",
    ".config/discord",
    ".var/app",
    "snap",
    // sessions of a screen, and what was typed
    ".Xauthority",
    ".ICEauthority",
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".viminfo",
    ".lesshst",
    ".local/share/atuin",
    ".ipython",
    ".irb_history",
    // what shells begin with: where many people export their keys
    ".env",
    ".envrc",
    ".secrets",
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_aliases",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".config/fish",
    ".config/environment.d",
    ".pam_environment",
    // tunnels and hosts of models and code
    ".ngrok2",
    ".config/ngrok",
    ".cloudflared",
    ".tsh",
    ".kaggle",
    ".jupyter",
    ".modal.toml",
    ".sentryclirc",
    ".config/stripe",
    ".cursor",
    ".continue",
    ".aider.conf.yml",
    // money
    ".bitcoin",
    ".ethereum",
    ".electrum",
    ".config/solana",
    // macOS
    "Library/Keychains",
    "Library/Cookies",
    "Library/Mail",
    "Library/Messages",
    "Library/Safari",
    "Library/Application Support/Google",
    "Library/Application Support/Firefox",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge",
    "Library/Application Support/1Password",
    "Library/Application Support/Bitwarden",
];

/// Of the machine.
const OF_THE_MACHINE: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/pki/tls/private",
    "/etc/letsencrypt",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ipsec.secrets",
    "/etc/ppp/chap-secrets",
    "/var/backups",
    "/etc/NetworkManager/system-connections",
    "/etc/wireguard",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/rancher",
    "/run/secrets",
    "/run/user",
    "/run/credentials",
    "/var/run/secrets",
    "/var/lib/docker",
    "/var/lib/kubelet",
    "/var/lib/sss",
    "/var/spool/cron",
    "/var/spool/mail",
    "/var/mail",
];

/// Variables that name another place for a secret.
const VARIABLES: &[&str] = &[
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_CONFIG_DIR",
    "BOTO_CONFIG",
    "CLOUDSDK_CONFIG",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "DOCKER_CONFIG",
    "GNUPGHOME",
    "GH_CONFIG_DIR",
    "NETRC",
    "NPM_CONFIG_USERCONFIG",
    "PASSWORD_STORE_DIR",
    "PGPASSFILE",
    "PIP_CONFIG_FILE",
    "TF_CLI_CONFIG_FILE",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "HISTFILE",
];

/// Names of files that hold secrets wherever they lie.
const SECRET_NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    "credentials.json",
    "service-account.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "secrets.json",
    "terraform.tfstate",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".vault_pass",
    "master.key",
    "kubeconfig",
];
const SECRET_ENDINGS: &[&str] =
    &[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".tfvars", ".agekey"];
/// Endings of files that say how a `.env` should look.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults"];

/// All places of keys for the user whose home is `home`. `named` says what a variable of the environment holds.
pub fn secret_places(home: Option<&Path>, named: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    // Root's home is another's only for a root whose own is elsewhere; nobody else can read it anyway.
    let homes: Vec<&Path> = home.into_iter().chain([Path::new("/root")]).collect();
    let in_home = homes.into_iter().flat_map(|home| IN_HOME.iter().map(move |place| home.join(place)));
    let of_machine = OF_THE_MACHINE.iter().map(PathBuf::from);
    let by_name = VARIABLES.iter().filter_map(|name| named(name));
    let clusters =
        named("KUBECONFIG").into_iter().flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>());
    let tickets = named("KRB5CCNAME").map(|cache| without_kind(&cache)).into_iter().chain(default_tickets());
    let cargo = named("CARGO_HOME").into_iter();
    let cargo = cargo.flat_map(|home| ["credentials", "credentials.toml"].map(|file| home.join(file)));
    let all = in_home.chain(of_machine).chain(by_name).chain(clusters).chain(cargo).chain(tickets);
    // A variable may name the home itself, or what holds it.
    let is_ours = |place: &Path| home.is_some_and(|home| home.starts_with(place));
    all.filter(|place| place.is_absolute() && !is_ours(place)).collect()
}

/// Whether a file of this name, in whatever folder, may hold secrets.
pub fn names_a_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let of_env =
        name.strip_prefix(".env.").is_some_and(|rest| !rest.split('.').any(|part| EXAMPLES.contains(&part)));
    of_env
        || SECRET_NAMES.contains(&name.as_str())
        || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// `KRB5CCNAME` names the kind of a cache of tickets before its place: `FILE:/tmp/krb5cc_1000`.
fn without_kind(cache: &Path) -> PathBuf {
    let written = cache.to_string_lossy();
    let place = ["FILE:", "DIR:"].iter().find_map(|kind| written.strip_prefix(kind));
    place.map_or_else(|| cache.to_owned(), PathBuf::from)
}

/// Where tickets are when no variable says it. Only where there are any: to hide a file closes the folder that it is in.
fn default_tickets() -> Option<PathBuf> {
    let place = PathBuf::from(format!("/tmp/krb5cc_{}", rustix::process::getuid().as_raw()));
    place.exists().then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_below_home_of_the_machine_and_where_variables_say() {
        let named = |name: &str| match name {
            "KUBECONFIG" => Some("/k/one:/k/two".into()),
            "CARGO_HOME" => Some("/cargo".into()),
            "GNUPGHOME" => Some("relative".into()),
            "HISTFILE" => Some("/home/ada".into()),
            "KRB5CCNAME" => Some("FILE:/tickets/mine".into()),
            _ => None,
        };
        let places = secret_places(Some(Path::new("/home/ada")), named);
        let has = |place: &str| places.iter().any(|one| one == Path::new(place));
        assert!(
            has("/home/ada/.ssh") && has("/etc/shadow") && has("/k/two") && has("/cargo/credentials.toml")
        );
        assert!(has("/home/ada/.zshrc") && has("/home/ada/.config/fish") && has("/etc/ssh/ssh_host_rsa_key"));
        assert!(has("/tickets/mine") && without_kind(Path::new("DIR:/t")) == Path::new("/t"));
        assert!(has("/root/.ssh") && !has("relative") && !has("/home/ada"));
        assert!(secret_places(None, |_| None).contains(&"/etc/shadow".into()));
    }
}
