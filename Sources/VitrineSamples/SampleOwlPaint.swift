import VitrineMath
import VitrineScene

/// Paints the owl's textures. Both use the texture coordinates of the surface grid: u runs around the axis, v from the top to the bottom.
enum SampleOwlPaint {
    /// Paints the base colour in sRGB.
    static func baseColor(size: Int) -> Image {
        let outline = SampleOutline.points(count: size + 1)
        let speckles = ValueNoise(seed: 8, period: 330)
        let swirls = ValueNoise(seed: 7, period: 24)
        let grain: [(noise: ValueNoise, cells: Float, amplitude: Float)] = [(12, 0.07), (40, 0.07), (110, 0.08), (260, 0.09), (512, 0.08)]
            .map { (ValueNoise(seed: 100 + UInt32($0.0), period: $0.0), Float($0.0), Float($0.1)) }
        return Image.painted(width: size, height: size, name: "stoneware colour") { u, v in
            let point = outline[Int((1 - v) * Float(size))]
            var roughness: Float = 0
            for octave in grain { roughness += octave.amplitude * (2 * octave.noise.value(u * octave.cells, v * octave.cells) - 1) }
            let swirl = 2 * swirls.value(u * 24, v * 24) - 1
            // The underside, where the texture converges, is bare clay.
            let isClay = point.y < 1e-5 || point.x < 0.012
            let color = isClay ? Vector3(0.45, 0.36, 0.28) : paint(angle: 2 * .pi * u, height: point.y, swirl: swirl)
            let speckle: Float = 2 * speckles.value(u * 330, v * 330) - 1 > 0.62 ? 0.55 : 1
            return color * ((1 + 1.5 * roughness) * speckle) + Vector3(repeating: 0.035 * roughness)
        }
    }

    /// Paints the metallic-roughness texture with glTF's channels: green is roughness, blue is metalness. The eyes and the base are glazed; the rest is
    /// matte.
    static func metallicRoughness(size: Int) -> Image {
        let outline = SampleOutline.points(count: size + 1)
        return Image.painted(width: size, height: size, name: "stoneware glaze") { u, v in
            let height = outline[Int((1 - v) * Float(size))].y
            var roughness: Float = 0.72
            if height < 0.0112 { roughness = 0.3 }
            for side: Float in [1, -1] where eyeOffset(2 * .pi * u, height, side).distance < 0.0098 { roughness = 0.16 }
            return Vector3(0, roughness, 0)
        }
    }

    /// Returns the distance from the centre of the eye on one side in metres.
    private static func eyeOffset(_ angle: Float, _ y: Float, _ side: Float) -> (x: Float, y: Float, distance: Float) {
        let x = SampleOwl.angleDifference(angle, SampleOwl.front + side * 0.46) * 0.044
        return (x, y - 0.122, (x * x + (y - 0.122) * (y - 0.122)).squareRoot())
    }

    /// Returns the colour at a point of the surface, sRGB 0…1, before noise and speckles.
    private static func paint(angle: Float, height y: Float, swirl: Float) -> Vector3 {
        if y < 0.0112 {
            let band = sin(angle * 23 + 5 * swirl) + sin(y * 1500 + 3 * swirl)
            return band > 0.15 ? [0.10, 0.26, 0.33] : band > -0.1 ? [0.78, 0.66, 0.42] : [0.06, 0.13, 0.20]
        }
        for side: Float in [1, -1] {
            if let color = eye(angle, y, side, swirl) { return color }
            let wing = SampleOwl.angleDifference(angle, SampleOwl.front + side * 1.62)
            if abs(wing) < 0.66, abs(y - 0.062) < 0.034 {
                let feathers = Feathers(
                    length: 0.0090, width: 0.0078, light: [0.52, 0.34, 0.20], dark: [0.10, 0.09, 0.13], seed: 31 + UInt32(side + 1))
                return feathers.color(across: wing * 0.053 + 0.3, up: y + 0.010 * cos(3 * wing))
            }
        }
        let middle = SampleOwl.angleDifference(angle, SampleOwl.front)
        if abs(middle) < 0.16, y > 0.100, y < 0.121 {
            let stripe = 0.12 * sin(y * 2600 + 9 * swirl)
            return Vector3(0.80 + stripe, 0.46 + stripe, 0.12)
        }
        if abs(middle) < 0.95, y < 0.100 { return belly.color(across: middle * 0.05 + 0.4, up: y) }
        if y < 0.021, abs(middle) < 0.9 { return [0.72, 0.52, 0.22] }
        if y > 0.100 { return head.color(across: head.circumference * angle / (2 * .pi) + 0.006 * swirl, up: y + 0.002 * swirl) }
        return back.color(across: back.circumference * angle / (2 * .pi), up: y)
    }

    private static let belly = Feathers(length: 0.0078, width: 0.0085, light: [0.93, 0.86, 0.70], dark: [0.55, 0.33, 0.16], seed: 5)
    private static let head = Feathers(
        length: 0.0056, width: 0.0064, light: [0.58, 0.44, 0.30], dark: [0.20, 0.12, 0.10], seed: 17, count: 49)
    private static let back = Feathers(
        length: 0.0098, width: 0.0088, light: [0.54, 0.46, 0.44], dark: [0.20, 0.18, 0.26], seed: 43, count: 36)

    /// Returns the colour of pupil, iris, rim and the surrounding disc of feathers; nil outside the disc.
    private static func eye(_ angle: Float, _ y: Float, _ side: Float, _ swirl: Float) -> Vector3? {
        let offset = eyeOffset(angle, y, side)
        let direction = atan2(offset.y, offset.x)
        switch offset.distance {
        case ..<0.0040:
            let (x, y) = (offset.x + 0.001, offset.y - 0.0014)
            return x * x + y * y > 0.0009 * 0.0009 ? [0.02, 0.02, 0.03] : [0.9, 0.92, 0.95]
        case ..<0.0085:
            let ray = sin(direction * 19 + 4 * swirl + side)
            return Vector3(0.93, 0.62 + 0.12 * ray, 0.10 + 0.08 * ray)
        case ..<0.0098: return [0.10, 0.06, 0.05]
        case ..<0.0205 where y > 0.1:
            let ray = sin(direction * 31 + offset.distance * 700 + 5 * swirl)
            let tone = 0.72 + 0.2 * ray - 9 * (offset.distance - 0.0098)
            return tone * Vector3(1, 0.86, 0.66)
        default: return nil
        }
    }
}

/// A pattern of overlapping feathers: each has its own shade, a darker edge and a quill.
private struct Feathers {
    /// The size of a feather in metres.
    let length, width: Float
    /// The range of shades in sRGB.
    let light, dark: Vector3
    let seed: UInt32
    /// The number of feathers in a closed ring; nil for an open ring.
    var count: Int?

    /// The circumference of a closed ring in metres.
    var circumference: Float { width * Float(count ?? 0) }

    /// Returns the linear colour at a point of the surface.
    ///
    /// - Parameters:
    ///   - across: The position along the surface to the side, in metres.
    ///   - up: The position along the surface upwards, in metres.
    func color(across: Float, up: Float) -> Vector3 {
        let row = Int((up / length).rounded(.down))
        for step in 0...1 {
            let k = row + step
            let position = across / width + (k & 1 == 0 ? 0 : 0.5)
            let column = Int(position.rounded(.down))
            let (x, y) = ((position - Float(column) - 0.5) * 2, up / length - Float(k) + 1)
            let edge = (x * x + (1 - y) * (1 - y) * 0.3844).squareRoot()
            guard edge < 1 || step == 1 else { continue }
            let shade = ValueNoise(seed: seed, period: count).cell(column, k)
            let t = min(1, edge)
            let color = mix(light, dark, 0.25 * shade + 0.75 * t * t * t)
            if abs(x) < 0.08, y > 0.25 { return color * 0.55 }
            return sin(26 * y + 14 * abs(x) + 6 * shade) > 0.55 ? color * 0.82 : color
        }
        return dark
    }
}
