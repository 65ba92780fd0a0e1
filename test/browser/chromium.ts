// chromium: pages opened in the Chromium of this machine, with everything that they complained of or asked for.
// Where there is no Chromium the suite fails; it never passes over what it is for.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

/** The program: the package `chromium` of Debian and Ubuntu has the first name. */
export const program = (): string => {
  const names = ["chromium", "chromium-browser", "google-chrome"]
  const places = (process.env["PATH"] ?? "").split(delimiter).flatMap((place) => names.map((name) => join(place, name)))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error("there is no Chromium here [apt-get install chromium]")
  return found
}

/** Starts it. It looks at nothing but pages that this suite has written, so that it needs no sandbox of its own. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath: program(), args: ["--no-sandbox"] })

/** An open page. */
export interface Opened {
  readonly page: Page
  /** What it complained of: console messages, uncaught errors, violations of its policy, dialogs. */
  readonly complaints: ReadonlyArray<string>
  /** What it asked for beside itself. */
  readonly requests: ReadonlyArray<string>
}

/** Opens a page from a file, uses it, and closes it. */
export const opened = async <A>(
  browser: Browser,
  html: string,
  options: BrowserContextOptions,
  use: (one: Opened) => Promise<A>
): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "ooda-page-"))
  const file = join(directory, "report.html")
  writeFileSync(file, html)
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    const [complaints, requests]: [Array<string>, Array<string>] = [[], []]
    const url = pathToFileURL(file).href
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on("request", (request) => request.url() === url || requests.push(request.url()))
    await page.goto(url)
    return await use({ page, complaints, requests })
  } finally {
    await context.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Opens every part of a page that is folded away. */
export const unfold = (page: Page): Promise<void> =>
  page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = true`)

/** The colour behind the whole page. */
export const groundOf = (page: Page): Promise<string> =>
  page.evaluate(`getComputedStyle(document.body).backgroundColor`)

/** How wide a page is, with all that reaches beyond the screen. */
export const widthOf = (page: Page): Promise<number> => page.evaluate(`document.documentElement.scrollWidth`)
