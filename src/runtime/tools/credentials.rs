//! What looks like a key, by the name of a variable and by what it holds. Rather one too many: a person can name a variable
//! that commands are to get.

/// A variable with one of these anywhere in its name.
const SECRET_INSIDE: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "CREDENTIAL",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "WEBHOOK",
    "AUTHORIZATION",
    "AUTH_CONFIG",
    "AUTH_HEADER",
    "BASIC_AUTH",
    "BEARER",
    "COOKIE",
    "MNEMONIC",
    "SEED_PHRASE",
    "SEEDPHRASE",
    "RECOVERY_PHRASE",
    "CONNECTION_STRING",
    "OP_SESSION_",
    "BW_SESSION",
    // What it names hands passwords out, or asks a person for one in somebody else's name.
    "ASKPASS",
    "VSCODE_GIT_IPC",
];
/// A variable with one of these as a word of its name, between underscores.
const SECRET_WORDS: &[&str] =
    &["KEY", "KEYS", "PASS", "PAT", "CRED", "CREDS", "DSN", "JWT", "OTP", "TOTP", "SAS"];
/// How a word of a name ends that holds a key, but for words that end so by chance.
const SECRET_ENDS: &[&str] = &["KEY", "PASS", "PW"];
const BY_CHANCE: &[&str] = &["MONKEY", "HOTKEY", "COMPASS", "BYPASS"];
/// Names of bundler's settings have a host in them where they hold what it wants, with `__` for a dot; these have not.
const OF_BUNDLER: &[&str] = &["BUNDLE_BUILD__", "BUNDLE_LOCAL__", "BUNDLE_MIRROR__"];
/// A header with one of these anywhere in its name holds a key, too: none is called `AUTHOR` or `KEYBOARD`.
const SECRET_IN_HEADERS: &[&str] = &["AUTH", "KEY", "PASS", "SESSION", "SIGNATURE"];
/// Under names with these a value that looks made up at random is a key.
const SUSPICIOUS: &[&str] = &[
    "ACCESS", "AUTH", "CERT", "CLIENT", "CRYPT", "ENCRYPT", "HEADER", "LICENSE", "LOGIN", "PRIVATE",
    "REFRESH", "SAML", "SESSION", "SIGN", "SSO", "USER",
];
/// What stands before a secret in a line of settings or of a header: letters, digits and `_`, then `=` or `:`.
const SETTINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "accountkey",
    "sharedaccesskey",
    "sharedaccesssignature",
    "secret",
    "token",
    "apikey",
    "authorization",
    "extraheader",
    "cookie",
    "credentials",
    "privatekey",
    // headers of gateways and services, as programs are given them
    "functionskey",
    "subscriptionkey",
    "applicationkey",
    "accesskey",
    "authkey",
    "masterkey",
];
/// Parts of addresses that are a secret as a whole.
const SECRET_ADDRESSES: &[&str] = &[
    "://hooks.",
    "webhook",
    "api.telegram.org/bot",
    "maker.ifttt.com/",
    "?key=",
    "&key=",
    "?sig=",
    "&sig=",
    "&signature=",
    "?code=",
    "&code=",
];
/// Clouds whose variables say together who somebody is.
const CLOUDS: &[&str] = &["AWS_", "AZURE_", "GCP_", "ARM_CLIENT_", "VAULT_", "ALICLOUD_", "OCI_CLI_"];
/// How the keys of well-known services begin, with spaces between.
const KEYS_BEGIN: &[&str] = &[
    // models
    "sk- gsk_ xai- nvapi- pplx- r8_ hf_ csk- fw_ tvly- jina_ lsv2_ sk_",
    // forges and registries
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- ATATT \
     ATCTT ATBB BBDC- npm_ pypi- rubygems_ dckr_pat_ dckr_oat_ oy2 cio",
    // clouds and what runs in them
    "AIza ya29. 1// GOCSPX- dop_v1_ doo_v1_ dor_v1_ hvs. hvb. hvr. tskey- sbp_ LTAI AKID dapi dp.pt. dp.st. pul- fo1_ \
     FlyV1 vercel_ vck_ CFPAT- rnd_ apify_api_ rpa_ tfp_",
    // talk, money and the rest
    "xoxb- xoxp- xoxa- xoxr- xoxc- xoxd- xoxe- xoxe. xoxs- xapp- mfa. SG. key- rk_live_ rk_test_ whsec_ sq0atp- sq0csp- \
     shpat_ shpss_ shpca_ shppa_ lin_api_ figd_ secret_ ntn_ phx_ sntrys_ sntryu_ glsa_ glc_ NRAK- PMAK- ops_ amzn.mws. \
     AGE-SECRET-KEY- -----BEGIN PuTTY-User-Key-File",
];
/// Fewer characters are a word, not a key.
const SHORTEST_KEY: usize = 16;
/// Schemes in which a name before `@` is somebody's name and no key.
const WITH_NAMES: &[&str] =
    &["ssh", "sftp", "scp", "rsync", "git", "postgres", "postgresql", "mysql", "mongodb", "ftp"];

/// Whether a variable of this name may hold a key.
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    SECRET_INSIDE.iter().any(|part| name.contains(part))
        || name.split('_').any(|word| SECRET_WORDS.contains(&word) || ends_secret(word))
        // Not the socket of an agent: what signs for a person hands no key out.
        || name.ends_with("_AUTH")
        || name.ends_with("PWD") && !["PWD", "OLDPWD"].contains(&name.as_str())
        || name.starts_with("BUNDLE_")
            && name.contains("__")
            && !OF_BUNDLER.iter().any(|begin| name.starts_with(begin))
}

/// Whether a header of this name may hold a key: each that a variable of its name may hold, and more.
pub(crate) fn is_secret_header(name: &str) -> bool {
    let name = name.to_uppercase().replace('-', "_");
    looks_secret(&name) || SECRET_IN_HEADERS.iter().any(|part| name.contains(part))
}

fn ends_secret(word: &str) -> bool {
    !BY_CHANCE.contains(&word) && SECRET_ENDS.iter().any(|end| word.ends_with(end))
}

/// Whether a variable of this name says, with others, who somebody is in a cloud.
pub(super) fn is_of_cloud(name: &str) -> bool {
    let name = name.to_uppercase();
    CLOUDS.iter().any(|cloud| name.starts_with(cloud))
}

/// Whether a value looks like a key whatever its name is, or under this name.
pub(crate) fn holds_secret(name: &str, value: &str) -> bool {
    let value = value.trim();
    let lower = value.to_lowercase();
    let bare = lower.replace(['"', '\'', ' ', '-', '_', '\\'], "");
    let is_setting = SETTINGS.iter().any(|setting| {
        let after = bare.split(setting).skip(1);
        after.into_iter().any(|rest| rest.starts_with(['=', ':']) && rest.len() > 1)
    });
    let is_address = lower.contains("://") && SECRET_ADDRESSES.iter().any(|part| lower.contains(part));
    let name = name.to_uppercase();
    let is_suspicious = SUSPICIOUS.iter().any(|part| name.contains(part)) && looks_random(value);
    let mut words = value.split([' ', ',', ';', '\n', '\t']).filter(|word| !word.is_empty());
    words.any(is_key)
        || value.contains("PRIVATE KEY-----")
        || ["bearer ", "basic "]
            .iter()
            .any(|kind| lower.starts_with(kind) || lower.contains(&format!(": {kind}")))
        || lower.contains("bearer ")
        || is_setting
        || is_address
        || is_suspicious
        || is_seed_phrase(value)
        || has_login(value)
}

/// Whether a word is a key by its shape.
fn is_key(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    let begins = || KEYS_BEGIN.iter().flat_map(|keys| keys.split(' ')).any(|begin| word.starts_with(begin));
    word.len() >= SHORTEST_KEY && (begins() || is_of_bot(word))
        || is_amazon_key(word)
        || is_signed_token(word)
}

fn is_amazon_key(value: &str) -> bool {
    let rest = value.strip_prefix("AKIA").or_else(|| value.strip_prefix("ASIA"));
    rest.is_some_and(|rest| {
        rest.len() == 16 && rest.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    })
}

/// Three parts between dots, of which the first is `{"` in base64.
fn is_signed_token(value: &str) -> bool {
    value.starts_with("eyJ") && value.split('.').count() == 3
}

/// As of Telegram, a number and what belongs to it; as of Discord, three parts of which the first is a number in base64.
fn is_of_bot(word: &str) -> bool {
    let is_token = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let of_telegram = word.split_once(':').is_some_and(|(number, token)| {
        (6..=12).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && token.len() >= 30
            && is_token(token)
    });
    let parts: Vec<&str> = word.split('.').collect();
    let of_discord = matches!(parts.as_slice(), [id, time, rest]
        if id.len() >= 23 && id.starts_with(['M', 'N', 'O']) && time.len() == 6 && rest.len() >= 27)
        && parts.iter().all(|part| is_token(part));
    of_telegram || of_discord
}

/// Twelve to twenty-four short words, as wallets are recovered with.
fn is_seed_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    [12, 15, 18, 21, 24].contains(&words.len())
        && words
            .iter()
            .all(|word| (3..=8).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Letters and digits without a word in them: as base64 and hexadecimal numbers are.
fn looks_random(value: &str) -> bool {
    let is_one = |c: char| c.is_ascii_alphanumeric() || "+=_-.".contains(c);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let kinds: std::collections::BTreeSet<char> = value.chars().collect();
    value.len() >= 20 && value.chars().all(is_one) && digits >= 3 && digits < value.len() && kinds.len() >= 10
}

/// `scheme://user:password@host`, also where the password has signs that should have been written out, as a slash;
/// `https://key@host`; `user:password@host` as in the settings of databases.
fn has_login(value: &str) -> bool {
    let by_address = value.split("://").zip(value.split("://").skip(1)).any(|(before, rest)| {
        let address = rest.split_whitespace().next().unwrap_or_default();
        let host = address.split(['/', '?', '#']).next().unwrap_or_default();
        let is_port = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        let by_rule = host.rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
        let by_chance = host.split_once(':').filter(|(_, word)| !is_port(word) && !host.starts_with('['));
        let word = by_rule.or(by_chance.filter(|_| address.contains('@')));
        let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let is_name = WITH_NAMES.contains(&scheme.to_lowercase().as_str());
        let is_alone = host.split_once('@').is_some_and(|(user, _)| !user.is_empty()) && !is_name;
        word.is_some_and(|(_, word)| !word.is_empty()) || is_alone
    });
    // An image by its digest is none: `name:tag@sha256:…`.
    let by_settings = !value.contains("://")
        && value.split_whitespace().any(|word| {
            word.split_once('@').is_some_and(|(login, host)| {
                let login = login.split_once(':').filter(|(user, _)| !user.is_empty() && !user.contains('/'));
                login.is_some_and(|(_, word)| !word.is_empty())
                    && !host.is_empty()
                    && !host.starts_with("sha256:")
            })
        });
    by_address || by_settings
}

#[cfg(test)]
#[path = "credentials_tests.rs"]
mod tests;
