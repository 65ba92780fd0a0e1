// `npm run picture`: the picture of a report in README.md, of a run of `converge` in which the real Codex CLI reviews and
// works for a stand-in model. The pictures of terminals are made by test/process/docs/pictures.test.ts.
import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { agent } from "../fixtures/stand-in-model/agent.mjs"
import { writeCodexHome } from "../fixtures/stand-in-model/codex-home.mjs"
import { endLeftovers } from "../fixtures/stand-in-model/leftovers.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { type Policy, startStandIn } from "../fixtures/stand-in-model/server.mjs"
import { asksAgent } from "../fixtures/stand-in-model/work.mjs"
import { pinnedCodex } from "../test/codex/install.mjs"
import { launch, opened } from "../test/browser/chromium.ts"
import { makeScratch } from "./demo/scratch.mjs"
import { SHOP } from "./demo/shop.mjs"

const root = process.cwd()
const policy: Policy = (request) => asksAgent(request.turn.prompt) ? agent()(request) : reviewer(request)

/** The report of a call of `converge`. */
const converged = async (): Promise<string> => {
  const { codex } = pinnedCodex(root)
  const scratch = makeScratch(SHOP)
  const standIn = await startStandIn({ policy })
  try {
    const env = { ...scratch.environment, ...writeCodexHome({ directory: scratch.codexHome, url: standIn.url }) }
    const here = ["--state-root", scratch.stateRoot]
    const call = ["converge", "--uncommitted", "-n", "3", "--test", "node --test", "--max-tokens", "5M"]
    const cli = join(root, "dist/ooda-codex-review.cjs")
    const options = { cwd: scratch.project, env }
    const child = spawn(process.execPath, [cli, ...call, ...here, "--codex-bin", codex], {
      ...options,
      stdio: "inherit"
    })
    const exit = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve))
    if (exit !== 0) throw new Error(`converge exited ${String(exit)}`)
    return execFileSync(process.execPath, [cli, "report", ...here], { ...options, encoding: "utf8" })
  } finally {
    await endLeftovers(scratch.codexHome)
    await standIn.close()
    scratch.remove()
  }
}

/** The parts of a page that a person looks at first. Where and when it was made is left out. */
const photo = async (html: string, file: string): Promise<void> => {
  const browser = await launch()
  try {
    await opened(browser, html, { viewport: { width: 1000, height: 800 } }, async ({ page }) => {
      await page.evaluate(
        `for (const one of document.querySelectorAll("#outcome > dl, #turns, #events, footer")) one.hidden = true`
      )
      await page.screenshot({ path: file, fullPage: true })
    })
  } finally {
    await browser.close()
  }
}

await photo(await converged(), join(root, "docs/report.png"))
