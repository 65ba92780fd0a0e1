// redactionShapes: what hostile texts repeat to slow down a search for secrets.

/** Each is repeated to hundreds of thousands of characters. */
export const shapes: ReadonlyArray<string> = [
  ...["a", "A", "0", "\\", '"', "=", "é", "\u001b[0m", "\\n", "token", "token:", "token: ", 'password: "', "token:'a "],
  ...[
    "TOKEN=",
    "TOKEN=a ",
    "\nTOKEN: a",
    'token: \\"',
    "://",
    "://a:",
    "://a:b",
    "-----",
    "-----BEGIN PRIVATE KEY-----"
  ],
  ...[
    "-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
    "eyJ",
    "eyJa.",
    "sk-"
  ],
  ...["sk-ant-", "ghp_", "AKIA", "xoxb-1", "SG.aaaaaaaaaaaaaaaaaaaa.", "Bearer ", "authorization: digest ", "login  "],
  ...[
    "<password>a",
    "--token a",
    "token: |\n a\n",
    "_pass",
    "token: string = ",
    "token: a=",
    "'token', '",
    "aB3/",
    "aa_aB3",
    "a-"
  ],
  ...[
    "cookie: a=b1",
    " -b a",
    "mysql ",
    "mysql -p",
    "docker login ",
    "set -x ",
    "PASSWORD '",
    "identified by ",
    "?sig="
  ],
  ...[
    '("a_token", ',
    "name: token\nvalue: ",
    ";pwd=a",
    "1234567890:",
    "maker.ifttt.com/trigger/a",
    'pass = "',
    "openssl -k"
  ],
  ...[
    "password: |\n  a\n",
    "\n+",
    "%41",
    "&quot;",
    "\\u0041",
    "\u001b[1m",
    "\\\n",
    "'a' + ",
    "'a'",
    '"a", ',
    "a.b:1:\n",
    "service | ",
    "mysql -u a ",
    "curl -u ",
    "echo a |",
    "htpasswd -b a "
  ],
  ...[
    "ENV TOKEN ",
    "config set token ",
    "token = a || 'x' ",
    "token || ",
    "${TOKEN:-a}",
    "[a]\ntoken = abc\n",
    "token = f(",
    "<password><![CDATA[",
    "name: token, type: a, value: ",
    "value: a\nname: token\n",
    "a=b;",
    "Password=a;B=",
    "token: {value: ",
    "Authorization: Digest "
  ],
  ...["session=", "login('a', ", "u:p@", "a:1:a:", "QUJD", "QUJD ", "73656372", "password is ", "a.", "\uff50", "$6$a"],
  ...["password 7 ", "AAAAAAAAAAAAAAAAAAAAa%", "rclone create s3 a ", "user: 'a', pass: '", "?key="]
]

/** A text begins with the first and repeats the second. */
export const endless: ReadonlyArray<readonly [string, string]> = [
  ["token: ", "a1"],
  ["-----BEGIN PRIVATE KEY-----\n", "A"],
  ["eyJ", "a"],
  ["eyJaaaaaa.", "a"],
  ["sk-ant-", "a"],
  ["ghp_", "a"],
  ["Bearer ", "a1"],
  ["://u:", "a"],
  ["://", "a"],
  ["TOKEN=", "a"],
  ["token: '", "a"],
  ["token: `", "\n"],
  ["token: |\n ", "a"],
  ["<token>", "a"],
  ["authorization: digest ", "a "],
  ["-----BEGIN PRIVATE KEY-----\n", "\n"],
  ["-----BEGIN PRIVATE KEY-----\n", "A\n"],
  ["hooks.slack.com/services/", "a"],
  ["password: |\n", " a\n"],
  ["token: ", "%41"],
  ["mysql -p", "a1"]
]
