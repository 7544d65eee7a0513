// @peculiar/x509 needs this one loaded before it.
import 'reflect-metadata'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'

/** How a user of a kubeconfig proves who they are. */
export type KubeUser = { readonly certificate: string; readonly key: string } | { readonly token: string }

/** What a kube-apiserver trusts, as it lies in its folder. */
export interface Credentials {
  readonly ca: string
  readonly admin: KubeUser
  readonly adminToken: string
  readonly userToken: string
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const day = 86_400_000

/** Writes a CA, a serving certificate, tokens and the key pair of service accounts into a folder, and makes an admin's certificate. */
export async function writeCredentials(folder: string): Promise<Credentials> {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 })
  const authority = await makeAuthority()
  const server = await authority.sign('CN=kube-apiserver', [
    new x509.SubjectAlternativeNameExtension([
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '10.0.0.1' },
      { type: 'dns', value: 'localhost' },
      { type: 'dns', value: 'kubernetes.default.svc' },
    ]),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  ])
  const admin = await authority.sign('O=system:masters, CN=admin', [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])])
  write('ca.crt', authority.certificate)
  write('server.crt', server.certificate)
  write('server.key', server.key)

  const accounts = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  write('accounts.key', accounts.privateKey)
  write('accounts.pub', accounts.publicKey)

  const adminToken = randomBytes(16).toString('hex')
  const userToken = randomBytes(16).toString('hex')
  write('tokens.csv', `${adminToken},token-admin,1,"system:masters"\n${userToken},token-user,2,"restricted"\n`)
  return { ca: authority.certificate, admin, adminToken, userToken }
}

/** The text of a kubeconfig for one server and one user (JSON, which is YAML too). */
export function kubeconfig(server: string, ca: string, user: KubeUser): string {
  const credentials =
    'token' in user ? { token: user.token } : { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'user', user: credentials }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user' } }],
    'current-context': 'test',
  })
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

async function makeAuthority() {
  const keys = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
  const now = Date.now()
  const lifetime = { notBefore: new Date(now - day), notAfter: new Date(now + 365 * day) }
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-ca',
    keys,
    signingAlgorithm: ecdsa,
    ...lifetime,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
  return {
    certificate: certificate.toString('pem'),
    /** A key and a certificate for it. */
    async sign(subject: string, extensions: x509.Extension[]) {
      const leaf = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
      const signed = await x509.X509CertificateGenerator.create({
        subject,
        issuer: certificate.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ecdsa,
        ...lifetime,
        extensions,
      })
      const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', leaf.privateKey)).toString('base64')
      return {
        certificate: signed.toString('pem'),
        key: `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
      }
    },
  }
}
