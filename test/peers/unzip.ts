import { crc32, inflateRawSync } from 'node:zlib'

const endOfDirectory = 0x06054b50
const directoryEntry = 0x02014b50

/**
 * One file out of a zip archive. Enough of the format for what we fetch: one disk, no encryption, below 4 GB, stored or deflated.
 * It is here because `unzip` is not on every machine.
 */
export function unzip(archive: Buffer, name: string): Buffer {
  // The list of files stands at the end, before a comment of up to 64 KB.
  let end = archive.length - 22
  while (end >= 0 && archive.readUInt32LE(end) !== endOfDirectory) end--
  if (end < 0) throw new Error('not a zip archive')
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== directoryEntry) throw new Error('damaged zip archive')
    const nameLength = archive.readUInt16LE(at + 28)
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) return content(archive, at, name)
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  throw new Error(`no ${name} in the zip archive`)
}

function content(archive: Buffer, entry: number, name: string): Buffer {
  const method = archive.readUInt16LE(entry + 10)
  const sum = archive.readUInt32LE(entry + 16)
  const size = archive.readUInt32LE(entry + 20)
  const header = archive.readUInt32LE(entry + 42)
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
  const packed = archive.subarray(start, start + size)
  if (method !== 0 && method !== 8) throw new Error(`${name} is packed by method ${method}, which is not known here`)
  const bytes = method === 0 ? packed : inflateRawSync(packed)
  if (crc32(bytes) !== sum) throw new Error(`${name} is damaged: its checksum differs`)
  return bytes
}
