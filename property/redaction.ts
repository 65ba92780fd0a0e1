// redaction: random secrets of every known form, within random texts.
import * as fc from "fast-check"

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
const word = (length: number, of = letters): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...of), { minLength: length, maxLength: length }).map((all) => all.join(""))

/** What a secret looks like, and how it is named. */
const tokens: ReadonlyArray<fc.Arbitrary<string>> = [
  word(48).map((end) => `sk-${end}`),
  word(40).map((end) => `sk-ant-api03-${end}`),
  word(40).map((end) => `sk-proj-${end}`),
  fc.tuple(fc.constantFrom(..."pousr"), word(36)).map(([kind, end]) => `gh${kind}_${end}`),
  word(60).map((end) => `github_pat_${end}`),
  word(20).map((end) => `glpat-${end}`),
  word(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789").map((end) => `AKIA${end}`),
  word(35).map((end) => `AIza${end}`),
  word(24).map((end) => `xoxb-1234567890-${end}`),
  word(24).map((end) => `sk_live_${end}`),
  word(36).map((end) => `npm_${end}`),
  fc.tuple(word(30), word(43)).map(([body, end]) => `eyJhbGciOiJIUzI1NiJ9.eyJ${body}.${end}`)
]

/** A password: nothing in it says what it is. */
const password = fc.tuple(word(7), word(5)).map((halves) => halves.join("7"))

const forms: ReadonlyArray<(secret: string) => string> = [
  (secret) => `{"password":"${secret}","a":1}`,
  (secret) => `{\\"api_key\\":\\"${secret}\\"}`,
  (secret) => `const apiKey = "${secret}"\n`,
  (secret) => `\nDB_PASSWORD=${secret}\n`,
  (secret) => `\nexport GITHUB_TOKEN=${secret}; make\n`,
  (secret) => `\n  client_secret: ${secret}\n`,
  (secret) => `login(password='${secret}')`,
  (secret) => `curl -d 'user=x&password=${secret}&y=1'`,
  (secret) => `mysql --password ${secret} -u x`,
  (secret) => `postgres://app:${secret}@db/x`,
  (secret) => `\nAuthorization: Bearer ${secret}\n`,
  (secret) => `-H "Authorization: Basic ${secret}"`,
  (secret) => `<secret>${secret}</secret>`
]

const rows = fc.array(word(64), { minLength: 3, maxLength: 8 })
const kind = fc.constantFrom("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK")

/** A secret, and a text that holds it. */
export interface Planted {
  readonly secrets: ReadonlyArray<string>
  readonly text: string
}

const key: fc.Arbitrary<Planted> = fc.tuple(kind, rows, fc.constantFrom("\n", "\\n", "\r\n"), fc.nat(2)).map(
  ([name, body, end, missing]) => ({
    secrets: body,
    text: [
      missing === 1 ? "" : `${end}-----BEGIN ${name}-----`,
      ...body,
      missing === 2 ? "" : `-----END ${name}-----${end}`
    ].join(end)
  })
)

/** Any planted secret of a known form. */
export const planted: fc.Arbitrary<Planted> = fc.oneof(
  fc.oneof(...tokens).map((secret) => ({ secrets: [secret], text: ` ${secret} ` })),
  fc.oneof(...tokens).map((secret) => ({ secrets: [secret], text: `"${secret}",` })),
  fc.tuple(fc.oneof(password, ...tokens), fc.constantFrom(...forms)).map(([secret, form]) => ({
    secrets: [secret],
    text: form(secret)
  })),
  key
)

const piece = fc.constantFrom(
  ..."\"'`\\ \n:=,;&|<>(){}[]@/-_.#$%",
  ...["token", "password", "api_key", "secret:", "TOKEN=", "authorization: ", "Bearer ", "://", "[redacted]", "string"],
  ...[
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "--token ",
    "hunter2",
    "abc",
    "eyJ",
    "sk-",
    "\\n",
    "0"
  ]
)

/** Text between secrets: some of it is made of what secrets are recognised by. */
export const surroundings: fc.Arbitrary<string> = fc.oneof(
  fc.array(piece, { maxLength: 20 }).map((all) => all.join("")),
  fc.string({ maxLength: 30 })
)
