/** What people call the errors that they can do something about. */
const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'no such file or folder',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EIO: 'the disk reports an input/output error',
  ENOEXEC: 'it is not a program for this machine',
  E2BIG: 'its arguments and environment are too long',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name server did not answer',
  EPROTO: 'the other side does not speak TLS as expected',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the other side does not speak TLS',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the other side closed the connection',
  UND_ERR_CLOSED: 'this client is closed',
  UND_ERR_DESTROYED: 'this client is closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it said',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted: it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted: a self-signed one is in its chain',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not trusted: the issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted: the issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted: the issuer is unknown',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
}

/** The stable code that Node gives an error, if it gives one. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** The reason of an error, of the system, of TLS or of HTTP, in a few words, with its code for whoever wants to look it up. */
export function whyItFailed(error: unknown): string {
  const code = codeOf(error)
  if (code !== undefined && code in words) return `${words[code]} (${code})`
  if (code?.startsWith('ERR_SSL_')) return `TLS failed: ${code.slice(8).toLowerCase().replaceAll('_', ' ')} (${code})`
  const message = error instanceof Error ? error.message : String(error)
  return code === undefined || message.includes(code) ? message : `${message} (${code})`
}
