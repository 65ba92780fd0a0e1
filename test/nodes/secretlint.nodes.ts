// What secretlint finds in a text, ours removes: its rules are the oracle, and need a later Node than ours.
import { execFileSync } from "node:child_process"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { redact } from "../../src/text/redaction/Redaction.ts"
import { binaryOf, onThisKind } from "./support.ts"

/** The forms of each rule, as it has them. Its checks of what is around them, or in them, are left to the oracle. */
const forms: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  anthropic: [/^sk-ant-api0\d-[A-Za-z0-9_-]{90}AA$/],
  aws: [/^AKIA[A-Z0-9]{16}$/, /^AWS_SECRET_ACCESS_KEY=[A-Za-z0-9/+]{40}$/],
  basicauth: [/^https:\/\/[a-z]{3,9}:[A-Za-z0-9_-]{6,20}@[a-z]{4,9}\.com\/$/],
  cloudflare: [/^(?:cfk|cfut|cfat)_[A-Za-z0-9]{40}[0-9a-f]{8}$/],
  databricks: [/^dapi[a-f0-9]{32}$/],
  "database-connection-string": [
    /^(?:mongodb|mongodb\+srv|mysql|postgres|postgresql):\/\/[a-z]{4,9}:[A-Za-z0-9_!-]{8,20}@db\.[a-z]{4,9}\.com\/[a-z]{3,9}$/
  ],
  docker: [/^dckr_pat_[a-zA-Z0-9_-]{27}$/],
  figma: [/^figd_[A-Za-z0-9_-]{40,60}$/],
  github: [/^gh[pousr]_[A-Za-z0-9]{36}$/, /^github_pat_[A-Za-z0-9_]{82}$/],
  gitlab: [/^glpat-[A-Za-z0-9_-]{20,40}$/],
  grafana: [/^glc_[A-Za-z0-9+/]{32,60}$/, /^glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}$/],
  groq: [/^gsk_[a-zA-Z0-9]{52}$/],
  "hashicorp-vault": [/^hv[sr]\.[A-Za-z0-9_-]{90,120}$/, /^hvb\.[A-Za-z0-9_-]{138,200}$/],
  huggingface: [/^hf_[a-zA-Z]{34}$/],
  linear: [/^lin_api_[a-zA-Z0-9_]{32,60}$/],
  notion: [/^ntn_[0-9]{11}[A-Za-z0-9]{35}$/],
  npm: [/^npm_[A-Za-z0-9_]{36}$/, /^\/\/registry\.npmjs\.org\/:_authToken=[a-z0-9-]{36}$/],
  openai: [/^sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}$/, /^sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}$/],
  sendgrid: [/^SG\.[A-Za-z0-9]{22}\.[A-Za-z0-9]{43}$/],
  shopify: [/^shp(?:pa|ca|at|ss)_[a-f0-9]{32}$/],
  slack: [
    /^xox[bpao]-[0-9]{10,12}-[a-zA-Z0-9]{24}$/,
    /^https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{8}\/B[A-Z0-9]{8}\/[A-Za-z0-9]{24}$/
  ],
  stripe: [/^[sr]k_(?:live|test)_[a-zA-Z0-9]{24,40}$/],
  tailscale: [/^tskey-[a-z]{3,9}-[0-9A-Za-z]{8,20}-[0-9A-Za-z]{16,40}$/],
  vercel: [/^vc[piark]_[A-Za-z0-9]{24,60}$/]
}

const around: ReadonlyArray<(token: string) => string> = [
  (token) => token,
  (token) => `the key ${token} is in the code\n`,
  (token) => `const key = "${token}"\n`,
  (token) => `KEY=${token}\n`
]

interface Found {
  readonly rule: string
  readonly secret: string
}

const oracle = (texts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<Found>> =>
  JSON.parse(execFileSync(binaryOf("22"), ["oracle.mjs"], {
    cwd: import.meta.dirname,
    input: JSON.stringify(texts),
    encoding: "utf8",
    maxBuffer: 2 ** 26
  }))

describe.runIf(onThisKind)("a secret that secretlint knows", () => {
  const named = Object.entries(forms).filter(([, all]) => all.length > 0)

  it.each(named)("is removed: %s", (name, all) => {
    const tokens = all.flatMap((form) => fc.sample(fc.stringMatching(form), 20))
    const texts = tokens.flatMap((token) => around.map((within) => within(token)))
    const found = oracle(texts)
    // The forms above are still those of the rule.
    assert.isTrue(found.some((one) => one.some(({ rule }) => rule.endsWith(`-${name}`))), texts[0])
    for (const [i, text] of texts.entries()) {
      for (const { rule, secret } of found[i] ?? []) assert.notInclude(redact(text), secret, `${rule}: ${text}`)
    }
  })
})
