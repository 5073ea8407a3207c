/** Where the files of a registry come from: a host, a folder, a bundle. */
export interface RegistryFiles {
  /**
   * The bytes of a file by its path in the tree; undefined if there is no such file.
   *
   * @param maxBytes - the caller refuses a larger file; an implementation may stop reading there
   */
  get(path: string, maxBytes?: number): Promise<Uint8Array | undefined>;
}
