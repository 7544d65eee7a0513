/** What a store keeps in its data folder. Without imports: those who only want to keep off these files need no engine. */
export const storeFiles = { database: 'aviary.db', lock: 'lock', owner: 'lock.owner' } as const

/** Whether a name in a data folder is the store's own: its database with all that stands beside it, or its lock. */
export function isStoreFile(name: string): boolean {
  return name.startsWith(storeFiles.database) || /^lock(?:-journal|\.owner)?$/.test(name)
}
