/** Provides the files of a registry, from a host, a folder or a bundle. */
export interface RegistryFiles {
  /**
   * Returns the bytes of a file, or undefined if there is no such file.
   *
   * @param path - the path of the file in the tree
   * @param maxBytes - the caller refuses larger files. An implementation may stop reading at this size
   * @param sha256 - the SHA-256 that the caller expects, in lower-case hexadecimal. An implementation may ask again for a
   *   file that does not have it
   */
  get(path: string, maxBytes?: number, sha256?: string): Promise<Uint8Array | undefined>;
}
