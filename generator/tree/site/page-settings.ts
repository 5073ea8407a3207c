import type { Logo } from './logo.js';

/** What an operator chooses of the page for people: the group `page` of registry.yaml. */
export interface PageSettings {
  /** The colour of links, such as `#0b5fff`. */
  readonly accent?: string | undefined;
  /** The file of a logo, an SVG or PNG image. */
  readonly logo?: string | undefined;
}

/** The same with the content of the logo. */
export interface PageParts extends Omit<PageSettings, 'logo'> {
  readonly logo?: Logo | undefined;
}
