// Commands: finds passwords in the arguments of programs that take them without a name, as in `mysql -pX`.
import { isPort, isReference, isSecretPlain } from "./NamedSecrets.ts"
import { wordAt } from "./NamedValues.ts"
import { marker, matchAt, type Span } from "./Patterns.ts"

// Long options are names, which NamedValues knows. This pattern is what may come between a program and a password.
const some = String.raw`[^\n|;&]{0,300}?[ \t]["']?`
const blank = String.raw`["']?[ \t]{1,5}`
const option = (options: string): string => `${some}(?:${options})`
const rules: ReadonlyArray<readonly [programs: string, before: string]> = [
  [
    "sshpass|mongo(?:sh|dump|restore|import|export|stat)?|evil-winrm|crackmapexec|psexec|nxc|rdesktop|cqlsh|clickhouse-client|" +
    "(?:docker|podman|buildah|nerdctl|az|az acr|oc|skopeo|crane|helm registry)[ \\t]{1,5}login|twine upload|rabbitmqadmin|" +
    "ncftp\\w{1,5}|elasticsearch-users|useradd|usermod|dotnet nuget|winrs",
    option("-p[ =:]?")
  ],
  // With a blank after `-p` these programs ask for the password.
  [
    "mysql(?:dump|admin|import|show|check|sh)?|mariadb(?:-dump|-admin)?|7z[azr]?|rar|unrar",
    option(String.raw`-p(?=\S)`)
  ],
  ["redis-cli|valkey-cli", option("-a[ =]?")],
  ["openssl|ssh-keygen|nuget|choco|dotnet", option("-[kKNP] ")],
  [String.raw`ldap\w{1,20}`, option("-w ?")],
  ["(?:un)?zip|sqlcmd|bcp|ipmitool|mosquitto_(?:pub|sub|rr)", option("-P ?")],
  ["plink|pscp|psftp|putty", option("-pw ")],
  ["snmp\\w{2,9}", option("-[AX] ")],
  ["[xw]?freerdp|mstsc|signtool", option("/p[ :]")],
  ["schtasks", option("/rp ")],
  ["smbclient|rpcclient|net|smbmap", option(String.raw`(?:-U|--user)[ =]?["']?[^\s%"']{1,64}%`)],
  ["gh secret set|gh variable set", option("-b |--body[ =]")],
  ["az keyvault secret set|aws ssm put-parameter", option("--value[ =]")],
  ["codecov|vercel|influx", option("-t ")],
  [
    "htpasswd",
    String.raw`${option(String.raw`-\w{0,8}b\w{0,8}`)}${blank}(?:-\w{1,4}[ \t]{1,5}){0,3}` +
    String.raw`(?:[^\s-]\S{0,200}[ \t]{1,5}){1,2}(?=\S{1,200}[ \t]*(?:$|[\n;&|"')\x60]))`
  ],
  [
    "vault|cargo|npm|hub|doppler|databricks",
    String
      .raw`${blank}(?:login|(?:operator )?unseal)${blank}(?:-{1,2}(?!password|token)\S{1,60}[ \t]{1,5}){0,5}(?!\w{1,40}=)`
  ],
  ["snyk|ngrok|tailscale|sentry-cli", `${blank}(?:config${blank})?(?:auth|authtoken|add-authtoken)${blank}`],
  [
    "nuget|ansible-vault|openssl|mkpasswd|grafana-cli",
    `${some}(?:setapikey|encrypt_string|-6|sha-?512|reset-admin-password)${blank}`
  ],
  ["rabbitmqctl", String.raw`${some}(?:add_user|change_password)${blank}\S{1,64}[ \t]{1,5}`],
  ["wpa_passphrase|net user", String.raw`${blank}[^\s/]\S{0,64}[ \t]{1,5}`],
  ["net use", String.raw`${blank}(?:\S:[ \t]{1,5})?\\\\\S{1,200}[ \t]{1,5}(?:/user:\S{1,64}[ \t]{1,5})?`],
  ["mc alias set", String.raw`${blank}(?:\S{1,200}[ \t]{1,5}){3}`],
  ["nmcli|mysqladmin|iwconfig", `${some}(?:password|key)${blank}(?:s:)?`],
  [
    "poetry|composer|bundle",
    String.raw`${blank}config${blank}(?:--?\S{1,20}[ \t]{1,5})?(?:http-basic\.\S{1,64}[ \t]{1,5}\S{1,64}[ \t]{1,5}|` +
    String.raw`(?:github-oauth|gitlab-token|bearer)\.\S{1,64}[ \t]{1,5}|` +
    String.raw`[\w-]{1,40}\.[\w.-]{1,40}[ \t]{1,5}[^\s:]{1,64}:(?=\S))`
  ],
  ["sqlplus|sqlldr|expdp|impdp|rman", String.raw`${blank}(?:-\w[ \t]{1,5})?["']?\w{1,40}/`],
  [
    "sudo|passwd|chpasswd|docker|podman|gh|helm|oc|kinit|cryptsetup|vncpasswd|wrangler",
    String.raw`[^\n|;&<]{0,100}<<<[ \t]{0,5}`
  ],
  ["pulumi|rclone", String.raw`${some}(?:config|create)${some}(?:--secret|s3)[ \t]{1,5}[\w:.-]{1,60}[ \t]{1,5}`]
]
const byProgram = rules.map(([programs, before]) => new RegExp(`(?:${programs})${before}`, "y"))
const program = new RegExp(
  String.raw`(?<![\w.@:-])(?:${rules.map(([programs]) => programs).join("|")})(?=["']?[ \t])`,
  "g"
)
const elsewhere = [
  /(?<=[ \t])-(?:-\w{1,9}-)?pass(?:in|out)?[ ]{1,5}["']?pass:/g,
  /(?<=[ \t])\/pass(?:word)?:/gi,
  /(?<=[ \t])--from-literal[ =]["']?[\w.-]{1,100}=/g,
  // The settings of routers
  /(?<=^|\n)[ \t]{0,20}(?:[\w-]{1,30} ){0,4}(?:password|secret|key) \d (?=\S{1,300}[ \t]*(?:[\r\n]|$))/g,
  /(?<=^|\n)[ \t]{0,20}snmp-server community /g,
  /\bConvertTo-SecureString[ \t]{1,5}(?:-String[ \t]{1,5})?(?=[^\s$-])/g,
  /\bjdbc:oracle:\w{1,10}:\w{1,40}\//g,
  /(?<=^|\n)[ \t]{0,20}(?:requirepass|masterauth)[ \t]{1,20}(?=\S{1,300}[ \t]*(?:[\r\n]|$))/g,
  // The files of netrc
  /\blogin\s{1,20}\S{1,100}\s{1,20}(?:account\s{1,20}\S{1,100}\s{1,20})?password\s{1,20}/g
]

// A user with a password: after `-u` of any program it must look like one.
const user = String.raw`[ =]?(["']?)[^\s:"'@/,]{1,64}["']?`
const login = new RegExp(String.raw`(?<=^|[ \t])(?:-u|--user)${user}:`, "g")
const loginOfCurl = new RegExp(
  String
    .raw`(?<![\w.@:-])(?:curl|wget|https?|xh|lftp|ab|etcdctl|java|jenkins-cli)${some}(?:-\w{0,9}[uUaE]|-(?:-user|-proxy-user|-auth|-cert|-proxy-cert|-proxy|auth|x|A))${user}[:,]`,
  "g"
)

const printed = /\b(?:echo|printf)[ \t]{1,5}(?:-\w{1,3}[ \t]{1,5}|["']?%s(?:\\n)?["']?[ \t]{1,5})?/g
const reader =
  /["']?[ \t]{0,5}\|[^\n]{0,60}?(?:\bsudo[ \t]-\w{0,5}S|--password-stdin|--with-token|--stdin\b|\bchpasswd|\bkinit\b|\bcryptsetup\b|--passphrase-fd)/y

const isSecret = (value: string): boolean =>
  value !== "" && !isReference(value) && !value.includes(marker) && !isPort(value) &&
  !/^(?:[-\])},]|\.{0,2}\/)/.test(value)

/** The place of the password after a user, to the end of the quotes or of the word. */
const behindUser = (text: string, { 0: found, 1: open = "", index }: RegExpExecArray): ReadonlyArray<Span> => {
  const from = index + found.length
  if (open === "" || /["'].$/.test(found)) return wordAt(text, from)
  const to = from + (matchAt(open === '"' ? /[^"\n]{1,300}/y : /[^'\n]{1,300}/y, text, from)?.[0].length ?? 0)
  return [{ from, to }]
}

/** The places of passwords among the arguments of programs. */
export const argumentsOfPrograms = (text: string): ReadonlyArray<Span> => {
  const spans = [...text.matchAll(program)].flatMap(({ index }) =>
    byProgram.flatMap((rule) => {
      const found = matchAt(rule, text, index)
      return found === null ? [] : wordAt(text, index + found[0].length)
    })
  )
  const others = elsewhere.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 0: found, index }) => wordAt(text, index + found.length))
  )
  const users = [...text.matchAll(login)].flatMap((found) => behindUser(text, found))
    .filter(({ from, to }) => isSecretPlain(text.slice(from, to), "loose", ""))
  const usersOfCurl = [...text.matchAll(loginOfCurl)].flatMap((found) => behindUser(text, found))
  const texts = [...text.matchAll(printed)].flatMap(({ 0: found, index }) => {
    const words = wordAt(text, index + found.length)
    const end = words.at(-1)?.to
    return end === undefined || matchAt(reader, text, end) === null ? [] : words
  })
  return [...spans, ...others, ...users, ...usersOfCurl, ...texts]
    .filter(({ from, to }) => isSecret(text.slice(from, to)))
}
