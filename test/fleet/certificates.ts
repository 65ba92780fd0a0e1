// certificates: an authority of a test's own, and what it signs.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A certificate and its key, as text and where they lie. */
export interface Signed {
  readonly crt: string
  readonly key: string
  readonly crtFile: string
  readonly keyFile: string
}

/** Makes an authority in a directory, and with it certificates: `name` is the file's and the subject's. */
export const authority = (directory: string, called: string) => {
  const openssl = (...args: ReadonlyArray<string>): void => {
    execFileSync("openssl", args, { cwd: directory, stdio: "pipe" })
  }
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
  const file = (name: string): string => join(directory, name)
  openssl("req", "-x509", ...fresh, "-days", "2", "-subj", `/CN=${called}`, "-keyout", `${called}.key`, "-out", called)
  const sign = (name: string): Signed => {
    const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`]
    openssl("req", ...fresh, ...subject, "-keyout", `${name}.key`, "-out", `${name}.csr`)
    const signing = ["-CA", called, "-CAkey", `${called}.key`, "-CAcreateserial", "-copy_extensions", "copy"]
    openssl("x509", "-req", "-in", `${name}.csr`, ...signing, "-days", "2", "-out", `${name}.crt`)
    const [crtFile, keyFile] = [file(`${name}.crt`), file(`${name}.key`)]
    return { crtFile, keyFile, crt: readFileSync(crtFile, "utf8"), key: readFileSync(keyFile, "utf8") }
  }
  return { file: file(called), sign }
}
