/// The polygon that is drawn around a particle's disc. Several particles share an instance, because on software GPUs an instance costs more than its
/// vertices, and a triangle more than the pixels of a small one.
enum ParticleOutline: Hashable {
    /// One triangle per particle, with 1.3 times the area of the square.
    case triangle
    /// A square of two triangles.
    case square

    /// The number of particles per instance.
    static let batch = 64

    /// Chooses the outline of particles by their size.
    ///
    /// - Parameter radius: The largest radius in pixels.
    init(radius: Float) { self = radius > 16 ? .square : .triangle }

    var vertexCount: Int { self == .triangle ? 3 : 6 }

    /// The WGSL function `outlineCorner(i)`, which returns corners in radii, and the counts.
    var shader: String {
        let counts = "const OUTLINE = \(vertexCount)u;\nconst BATCH = \(Self.batch)u;\n"
        switch self {
        case .triangle:
            return counts + """
                fn outlineCorner(i: u32) -> vec2f { return vec2f(1.7320508 * (f32(i) - 1.0), select(-1.0, 2.0, i == 1u)); }

                """
        case .square:
            return counts + """
                fn outlineCorner(i: u32) -> vec2f {
                    let corner = select(i, 6u - i, i > 2u);
                    return vec2f(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
                }

                """
        }
    }
}
