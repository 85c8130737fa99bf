/// How a particle moves, written in WGSL by the user: called once a tick for each.
///
/// ```swift
/// let swirl = ParticleFunction(
///     source: """
///         fn swirl(particle: Particle, frame: ParticleFrame) -> Particle {
///             var p = gather(particle, frame);                    // the usual rules, then a turn around the centre
///             let arm = p.position - frame.center;
///             p.position += vec2f(-arm.y, arm.x) * 0.02;
///             return p;
///         }
///         """, name: "swirl")
/// ```
///
/// A `Particle` has `color` (premultiplied, linear), `position` (points from the upper left corner, y down), `velocity` (points a tick),
/// `radius` (points), `life` (ticks) and `births` (0: never yet). A `ParticleFrame` has `size` and `center` (points), `velocity`,
/// `radius` (least and most), `lifetime`, `captureDistance`, `progress`, `time` (seconds), `tick` and `count`. At hand are
/// `gather(particle, frame)`, `born(particle, frame)` (a new life at a random place) and `random(&p)` (0…1, a number of that particle's own).
public struct ParticleFunction: Hashable, Sendable {
    public let source: String
    /// Of the function in `source`.
    public let name: String
    /// Where the text stands, for the compiler's messages.
    public let file: String
    /// The line before the text's first; 0 for a file of its own.
    public let line: Int

    /// - Parameters:
    ///   - source: WGSL with a function `fn NAME(particle: Particle, frame: ParticleFrame) -> Particle`. Others may stand beside it.
    ///   - line: the line on which its literal opens, so that the first line is the next; 0 for a file of its own.
    public init(source: String, name: String, file: String = #fileID, line: Int = #line) {
        (self.source, self.name, self.file, self.line) = (source, name, file, line)
    }
}
