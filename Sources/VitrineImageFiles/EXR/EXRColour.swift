import VitrineMath

/// The colour space of an OpenEXR file, from its `chromaticities`; Rec. 709 if there are none.
struct EXRColour {
    private let chromaticities: [Float]

    /// Red, green, blue and white (D65) in CIE x and y: ITU-R BT.709.
    private static let rec709: [Float] = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290]

    init(_ part: EXRHeader.Part, name: String) throws(ImageFileError) {
        chromaticities = part.chromaticities ?? Self.rec709
        guard Self.isUsable(Self.xyzFromRGB(chromaticities)) else {
            throw ImageFileError(file: name, reason: .malformed("the chromaticities are degenerate"))
        }
    }

    private static func isUsable(_ matrix: Matrix3) -> Bool {
        let inverse = matrix.inverse
        return [matrix, inverse].allSatisfy { ($0.x + $0.y + $0.z).sum().isFinite && $0.determinant.isFinite }
            // Luminance and chroma files divide by the weight of green; that of blue is negative in wide spaces such as ACES.
            && matrix.y.y > 1e-4
    }

    /// The weight of each channel in the luminance.
    var luminanceWeights: Vector3 {
        let matrix = Self.xyzFromRGB(chromaticities)
        return Vector3(matrix.x.y, matrix.y.y, matrix.z.y)
    }

    /// The matrix from the file's linear RGB to Rec. 709, with white adaptation (Bradford); nil if both spaces are equal to three digits.
    var rec709FromFile: Matrix3? {
        guard zip(chromaticities, Self.rec709).contains(where: { abs($0 - $1) > 1e-3 }) else { return nil }
        let bradford = Matrix3(Vector3(0.8951, -0.7502, 0.0389), Vector3(0.2664, 1.7135, -0.0685), Vector3(-0.1614, 0.0367, 1.0296))
        let source = bradford * Self.white(x: chromaticities[6], y: chromaticities[7])
        let target = bradford * Self.white(x: Self.rec709[6], y: Self.rec709[7])
        let scale = target / source
        let adapt = Matrix3(Vector3(scale.x, 0, 0), Vector3(0, scale.y, 0), Vector3(0, 0, scale.z))
        return Self.xyzFromRGB(Self.rec709).inverse * (bradford.inverse * (adapt * (bradford * Self.xyzFromRGB(chromaticities))))
    }

    /// Returns the colour of luminance 1.
    private static func white(x: Float, y: Float) -> Vector3 { Vector3(x / y, 1, (1 - x - y) / y) }

    private static func xyzFromRGB(_ c: [Float]) -> Matrix3 {
        func direction(_ x: Float, _ y: Float) -> Vector3 { Vector3(x, y, 1 - x - y) }
        let primaries = Matrix3(direction(c[0], c[1]), direction(c[2], c[3]), direction(c[4], c[5]))
        let amounts = primaries.inverse * white(x: c[6], y: c[7])
        return Matrix3(primaries.x * amounts.x, primaries.y * amounts.y, primaries.z * amounts.z)
    }
}
