/** Draining begins once, when the process is told to stop: load balancers should then send no further requests. */
export class Readiness {
  isDraining = false;
}
