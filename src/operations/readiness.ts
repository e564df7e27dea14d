/** Whether this instance wants further requests. It turns false once, when the process was told to stop. */
export class Readiness {
  isDraining = false;
}
