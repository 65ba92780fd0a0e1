// `npm run build`: bundles src/main.ts into dist/ooda-codex-review.cjs, the one file that node runs on its own.
// The one rule: what a command does not need is neither parsed nor run for it.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { pack } from "./build/pack.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const file = join(root, "dist", "ooda-codex-review.cjs")

const bundle = await rolldown({
  cwd: root,
  input: { main: "src/main.ts" },
  platform: "node",
  // Effect makes a segmenter as it loads, for texts that this program never measures; making one takes milliseconds.
  transform: { define: { "Intl.Segmenter": "Object" } }
})
const { output } = await bundle.generate({
  format: "cjs",
  minify: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js"
})
const chunks = output.flatMap((part) => part.type === "chunk" ? [{ name: `./${part.fileName}`, code: part.code }] : [])
const text = pack(chunks, "./main.js")
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, text)
chmodSync(file, 0o755)
console.log(`${file}: ${chunks.length} chunks, ${(text.length / 1000).toFixed(0)} kB`)
