// ServiceTokens: takes the keys and tokens of the usual services out of a text, which are known by how they begin.
import { marker } from "./Marker.ts"
import { replaceRuns } from "./Runs.ts"

// Not in the midst of a word. An escape in front of a token ends in a letter or a digit, too.
const starts = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,9}m))`

// Nothing follows a repetition in any of these, and each is bounded: all are found in one walk over the text.
const tokens: ReadonlyArray<string> = [
  // OpenAI, Anthropic, OpenRouter
  String.raw`sk-(?:proj|svcacct|admin|ant|or|live|test)-[A-Za-z0-9_-]{16,400}`,
  String.raw`sk-[A-Za-z0-9]{20,400}[A-Za-z0-9_-]{0,400}`,
  // GitHub
  String.raw`gh[pousr]_[A-Za-z0-9]{20,400}`,
  String.raw`github_pat_[A-Za-z0-9_]{20,400}`,
  // GitLab
  String.raw`gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas|ptr)-[A-Za-z0-9_-]{16,400}(?:\.[A-Za-z0-9_-]{1,400}){0,3}`,
  // AWS
  String.raw`A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  // Google
  String.raw`AIza[A-Za-z0-9_-]{30,400}`,
  String.raw`ya29\.[A-Za-z0-9_-]{20,400}`,
  String.raw`GOCSPX-[A-Za-z0-9_-]{20,400}`,
  String.raw`1//0[A-Za-z0-9_-]{30,400}`,
  // Slack
  String.raw`xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,400}`,
  String.raw`xapp-\d-[A-Za-z0-9-]{10,400}`,
  // Stripe
  String.raw`[rs]k_(?:live|test)_[A-Za-z0-9]{10,400}`,
  String.raw`whsec_[A-Za-z0-9+/=]{20,400}`,
  // npm, PyPI, Hugging Face, SendGrid, DigitalOcean, Vault, Databricks
  String.raw`npm_[A-Za-z0-9]{30,400}`,
  String.raw`pypi-[A-Za-z0-9_-]{50,400}`,
  String.raw`hf_[A-Za-z0-9]{30,400}`,
  String.raw`SG\.[A-Za-z0-9_-]{16,400}\.[A-Za-z0-9_-]{16,400}`,
  String.raw`do[opr]_v1_[a-f0-9]{40,400}`,
  String.raw`hv[sb]\.[A-Za-z0-9_-]{20,400}`,
  String.raw`dapi[a-f0-9]{32}`
]

const known = new RegExp(`${starts}(?:${tokens.join("|")})`, "g")
const slackHook = /(hooks\.slack\.com\/services\/)[A-Za-z0-9/_-]{20,400}/g
const webToken = /eyJ[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]{0,8000}){0,4}/g

/** The text without tokens that are known by how they begin. */
export const withoutServiceTokens = (text: string): string => {
  const safe = replaceRuns(text, known, () => marker).replace(slackHook, `$1${marker}`)
  // A first part alone is any JSON object in base64; the second one is what makes it a token.
  return replaceRuns(safe, webToken, (found) => (found.split(".", 2)[1] ?? "").length >= 10 ? marker : found)
}
