export type Env = Readonly<Record<string, string | undefined>>;

export type Log = (line: string) => void;

export interface Setup {
  readonly env: Env;
  readonly cacheDir: string;
  readonly log: Log;
}

const USER_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TMP|TEMP|LANG|LANGUAGE|LC_[A-Z]+|TZ|LD_LIBRARY_PATH|XDG_[A-Z_]+)$/;
/** Network settings; a proxy's address may contain a password. */
const NETWORK_VARIABLES =
  /^((https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$/i;
const INSTALLER_VARIABLES = new RegExp(
  `^(${[
    'GO(PROXY|FLAGS|SUMDB|NOSUMDB|PRIVATE|NOPROXY|INSECURE|AUTH|VCS|PATH|ROOT|CACHE|MODCACHE|TOOLCHAIN|ENV|TMPDIR|BIN)',
    'GO(OS|ARCH|MAXPROCS|MEMLIMIT|DEBUG)',
    'CGO_[A-Z_]+|CC|CXX|AR|PKG_CONFIG(_PATH)?',
    '(PIP|NPM_CONFIG)_\\w+|MAVEN_\\w+|JAVA_HOME|JAVA_TOOL_OPTIONS|PLAYWRIGHT_(BROWSERS_PATH|DOWNLOAD_HOST)',
  ].join('|')})$`,
  'i',
);

/** The environment of engines and tools, without the secrets that the full environment may contain. */
export function programEnv(env: Env): Record<string, string> {
  return only(env, (name) => USER_VARIABLES.test(name));
}

export function installerEnv(env: Env): Record<string, string> {
  return only(
    env,
    (name) => USER_VARIABLES.test(name) || NETWORK_VARIABLES.test(name) || INSTALLER_VARIABLES.test(name),
  );
}

export function serviceEnv(env: Env, settings: ReadonlySet<string>): Record<string, string> {
  return only(
    env,
    (name) =>
      settings.has(name) || name.startsWith('NODE_') || USER_VARIABLES.test(name) || NETWORK_VARIABLES.test(name),
  );
}

function only(env: Env, isNamed: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isNamed(entry[0]),
  );
  return Object.fromEntries(entries);
}
