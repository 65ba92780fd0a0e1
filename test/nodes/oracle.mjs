// The oracle: what secretlint's recommended rules find in the texts on standard input, for each the rule and the secret.
import { text } from "node:stream/consumers"
import { lintSource } from "@secretlint/core"
import { creator } from "@secretlint/secretlint-rule-preset-recommend"

const config = { rules: [{ id: creator.meta.id, rule: creator, options: {} }] }
const found = []
for (const content of JSON.parse(await text(process.stdin))) {
  const { messages } = await lintSource({
    source: { filePath: "/text", content, contentType: "text", ext: "" },
    options: { config }
  })
  found.push(messages.map(({ range: [from, to], ruleId }) => ({ rule: ruleId, secret: content.slice(from, to) })))
}
process.stdout.write(JSON.stringify(found))
