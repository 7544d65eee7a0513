/** A name as vCenter wants it written: these three characters as in a URL. */
export function writtenName(name: string): string {
  return name.replace(/[%/\\]/g, character => `%${character.charCodeAt(0).toString(16)}`)
}

/** The name that vCenter has written so. */
export function readName(written: string): string {
  return written.replace(/%(2f|5c|25)/gi, code => decodeURIComponent(code))
}
