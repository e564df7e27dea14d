/** How many there are of each kind at the moment. A kind of which there is none takes no memory. */
export class Tally<Kind> {
  readonly #counts = new Map<Kind, number>();

  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  add(kind: Kind): void {
    this.#counts.set(kind, this.of(kind) + 1);
  }

  remove(kind: Kind): void {
    const left = this.of(kind) - 1;
    if (left === 0) this.#counts.delete(kind);
    else this.#counts.set(kind, left);
  }
}
