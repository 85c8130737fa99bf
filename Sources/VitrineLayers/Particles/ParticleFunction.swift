/// A WGSL function that updates a particle, called once per tick and particle.
///
/// ```swift
/// let swirl = ParticleFunction(
///     source: """
///         fn swirl(particle: Particle, frame: ParticleFrame) -> Particle {
///             var p = gather(particle, frame);                    // the default motion, then a rotation about the centre
///             let arm = p.position - frame.center;
///             p.position += vec2f(-arm.y, arm.x) * 0.02;
///             return p;
///         }
///         """, name: "swirl")
/// ```
///
/// A `Particle` has `color` (premultiplied, linear), `position` (from the upper left corner, y down), `velocity` (per tick), `radius`, `life`
/// (ticks) and `births` (0: not born yet). A `ParticleFrame` has `size` and `center`, `velocity`, `radius` (minimum and maximum), `lifetime`,
/// `captureDistance`, `progress`, `time` (seconds), `tick` and `count`. All lengths are in `ParticleSettings.unit`: points by default.
///
/// The function may call `gather(particle, frame)` (the default motion: towards the centre by length(velocity) per tick), `born(particle, frame)`
/// (rebirth at a random position) and `random(&p)` (a random number of the particle, 0…1).
public struct ParticleFunction: Hashable, Sendable {
    /// The WGSL source.
    public let source: String
    /// The name of the function in `source`.
    public let name: String
    /// The file with the source, for error messages.
    public let file: String
    /// The line before the first line of the source; 0 for a separate file.
    public let line: Int

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - source: WGSL with a function `fn NAME(particle: Particle, frame: ParticleFrame) -> Particle` and any helper functions.
    ///   - name: The name of the function.
    ///   - file: The file with the source, for error messages.
    ///   - line: The line of the opening quotes of the literal; 0 for a separate file.
    public init(source: String, name: String, file: String = #fileID, line: Int = #line) {
        (self.source, self.name, self.file, self.line) = (source, name, file, line)
    }
}
