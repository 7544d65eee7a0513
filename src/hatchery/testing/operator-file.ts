import { generateKeyPairSync } from 'node:crypto'

let made: string | undefined

/** The PEM (PKCS#1) of an RSA key that is good for nothing but tests. */
export function testRsaKey(): string {
  made ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey
  return made
}

/** What a CDS operator's file must hold at least. `more` stands in `[hatchery.vsphere]`, `provision` and `tables` where they say. */
export function operatorFile({ more = '', tables = '', provision = '' } = {}): string {
  return `[hatchery.vsphere]
user = "admin@vsphere.local"
endpoint = "vc.example"
password = "vc-secret"
datacenterString = "DC0"
${more}
${tables}
[hatchery.vsphere.commonConfiguration]
name = "hv1"
rsaPrivateKey = """
${testRsaKey()}"""
url = "http://127.0.0.1:8086"
[hatchery.vsphere.commonConfiguration.http]
port = 8086
[hatchery.vsphere.commonConfiguration.api]
token = "token-of-v1"
tokenV2 = "token-of-v2"
[hatchery.vsphere.commonConfiguration.api.http]
url = "http://127.0.0.1:8081"
[hatchery.vsphere.commonConfiguration.provision]
${provision}
`
}
