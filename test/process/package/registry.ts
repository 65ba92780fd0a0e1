// registry: a registry of npm on loopback that offers the packed program, and what the checkout has installed.
// A client asks it as it asks any registry; nothing comes from a network.
import { spawn } from "node:child_process"
import { createReadStream, existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"

/** Serves until it is closed. `tarball` is what npm packed of the checkout, `modules` its `node_modules`. */
export const registry = async (tarball: string, manifest: string, modules: string) => {
  const own = JSON.parse(readFileSync(manifest, "utf8"))
  const manifestOf = (name: string) => {
    const path = join(modules, name, "package.json")
    return name === own.name ? own : existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null
  }
  const server = createServer((request, response) => {
    const [, name = "", isTarball] =
      /^\/((?:@[\w.-]+\/)?[\w.-]+?)(\/tarball)?$/.exec(decodeURIComponent(request.url ?? "")) ?? []
    const found = manifestOf(name)
    if (found === null) {
      response.writeHead(404).end("{}")
    } else if (isTarball === undefined) {
      const { bin, dependencies, peerDependencies, peerDependenciesMeta, version } = found
      const dist = { tarball: `http://${request.headers.host}/${name}/tarball` }
      const one = { name, version, bin, dependencies, peerDependencies, peerDependenciesMeta, dist }
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: one } }))
    } else if (name === own.name) {
      createReadStream(tarball).pipe(response)
    } else {
      const args = ["-C", join(modules, name), "--transform", "s,^\\.,package,", "-I", "gzip -1", "-cf", "-", "."]
      spawn("tar", args).stdout.pipe(response)
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() }
}
