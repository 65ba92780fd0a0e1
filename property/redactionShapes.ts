// redactionShapes: what hostile texts repeat to slow down whoever looks for secrets in them.

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
  ...["<password>a", "--token a", "token: |\n a\n", "_pass", "token: string = ", "token: a=", "'token', '", "aB3/"]
]
