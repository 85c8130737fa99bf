import VitrineMath
import VitrineScene

/// A light of a node, as the real-time renderer's `LightUniforms` describes it.
struct PathLight: BitwiseCopyable {
    enum Shape: UInt8 { case point, distant, rectangle, disc }

    let shape: Shape
    let position: Vector3
    /// The unit direction of emission.
    let axis: Vector3
    /// Half the width and half the height of a rectangle or a disc.
    let right, up: Vector3
    let color: Vector3
    /// The radius in metres, 0 for a point; for a distant light the sine of half its angular diameter.
    let radius: Float
    let coneScale, coneOffset: Float
    /// The value of 1 / range²; 0 without a range.
    let inverseSquaredRange: Float
    /// Coefficients of distance that divide the intensity; nil: inverse square.
    let polynomial: Vector3
    let hasPolynomial: Bool
    let categories: UInt32
    let area: Float

    init?(_ light: Light, worldFromLocal world: Matrix4) {
        guard light.kind != .ambient, light.linearIntensity.max() > 0 else { return nil }
        position = world.translation
        axis = normalize(-world.z.xyz)
        color = light.linearIntensity
        categories = light.categoryBitMask
        inverseSquaredRange =
            if let range = light.range, light.kind != .directional { 1 / max(range * range, 1e-12) } else { 0 }
        var (scale, offset): (Float, Float) = (0, 1)
        if case .spot(let inner, let outer) = light.kind {
            let (cosInner, cosOuter) = (cos(inner.radians), cos(outer.radians))
            scale = 1 / max(cosInner - cosOuter, 1e-4)
            offset = -cosOuter * scale
        }
        (coneScale, coneOffset) = (scale, offset)
        let x = normalize(world.x.xyz)
        let y = normalize(world.y.xyz)
        switch light.kind {
        case .rectangle(let width, let height):
            (shape, right, up, area, radius) = (.rectangle, x * (width / 2), y * (height / 2), width * height, 0)
        case .disc(let r): (shape, right, up, area, radius) = (.disc, x * r, y * r, .pi * r * r, 0)
        case .directional:
            (shape, right, up, area) = (.distant, x, y, 0)
            radius = sin(clamp(light.angularDiameter.radians / 2, 0, .pi / 2))
        case .point, .spot, .ambient: (shape, right, up, area, radius) = (.point, x, y, 0, max(light.radius, 0))
        }
        if case .polynomial(let constant, let linear, let quadratic) = light.attenuation, shape == .point {
            (polynomial, hasPolynomial) = (Vector3(max(constant, 1e-6), max(linear, 0), max(quadratic, 0)), true)
        } else {
            (polynomial, hasPolynomial) = (Vector3(repeating: 0), false)
        }
    }

    /// Whether lobes can hit it: it has a size and a radiance.
    var isSampledByLobes: Bool { shape == .rectangle || shape == .disc || radius > 0 }

    /// The light that reaches a point, without its colour: for point lights the irradiance of a surface that faces the light, for others a factor.
    @inline(__always) private func strength(_ offset: Vector3) -> Float {
        let squared = max(dot(offset, offset), 1e-8)
        let ratio = squared * inverseSquaredRange
        let fade = saturate(1 - ratio * ratio)
        guard shape == .point else { return fade }
        let distance = squared.squareRoot()
        let cone = saturate(-dot(offset, axis) / distance * coneScale + coneOffset)
        let divisor = hasPolynomial ? polynomial.x + (polynomial.y + polynomial.z * distance) * distance : squared
        return fade / divisor * cone * cone
    }

    /// The approximate irradiance at a point, for choosing among lights.
    @inline(__always) func importance(_ p: Vector3) -> Float {
        switch shape {
        case .distant: return luminance(color)
        case .point: return luminance(color) * strength(position - p)
        case .rectangle, .disc:
            let offset = position - p
            // Of a sphere around it, so that every part has a weight.
            let squared = dot(offset, offset) + area
            return luminance(color) * strength(offset) * area / squared
        }
    }

    struct Sample {
        var direction: Vector3
        var distance: Float
        /// Radiance over density, or irradiance.
        var light: Vector3
        /// The probability density of the sample, per steradian; 0 if lobes do not hit the light.
        var density: Float
    }

    func sample(from p: Vector3, _ u: Vector2) -> Sample? {
        switch shape {
        case .distant:
            guard radius > 0 else { return Sample(direction: -axis, distance: .infinity, light: color, density: 0) }
            let d = Warp.disc(u) * radius
            let direction = unit(
                -axis + right * (d.x / max(1 - d.x * d.x - d.y * d.y, 1e-6).squareRoot())
                    + up * (d.y / max(1 - d.x * d.x - d.y * d.y, 1e-6).squareRoot()))
            let density = distantDensity(direction)
            return density > 0 ? Sample(direction: direction, distance: .infinity, light: distantRadiance / density, density: density) : nil
        case .point:
            let offset = position - p
            let strength = strength(offset)
            guard strength > 0 else { return nil }
            let squared = dot(offset, offset)
            let distance = squared.squareRoot()
            guard distance > 0 else { return nil }
            let ahead = offset * (1 / distance)
            // A point light, or a point inside the light's sphere.
            guard let cap = Cap(radius: radius, squaredDistance: squared) else {
                return Sample(direction: ahead, distance: distance, light: color * strength, density: 0)
            }
            // Evenly over the solid angle of the sphere.
            let d = Warp.disc(u)
            let down = dot(d, d) * cap.height
            let across = (max(down * (2 - down), 0) / max(dot(d, d), 1e-20)).squareRoot()
            let x = anyPerpendicular(ahead)
            let direction = unit(ahead * (1 - down) + (x * d.x + cross(ahead, x) * d.y) * across)
            let reach = surfaceDistance(offset, direction) ?? distance
            return Sample(
                direction: direction, distance: reach, light: color * (strength * cap.radiance / cap.density), density: cap.density)
        case .rectangle, .disc:
            let coordinates = shape == .disc ? Warp.disc(u) : Vector2(2 * u.x - 1, 2 * u.y - 1)
            let target = position + right * coordinates.x + up * coordinates.y - p
            let squared = dot(target, target)
            let distance = squared.squareRoot()
            let direction = target * (1 / max(distance, 1e-12))
            let cosine = -dot(direction, axis)
            guard cosine > 1e-6, squared > 0 else { return nil }
            let density = squared / (area * cosine)
            return Sample(
                direction: direction, distance: distance, light: color * (strength(position - p) / density), density: density)
        }
    }

    /// The directions to a sphere of light from a point outside.
    private struct Cap {
        /// 1 − cosine of half the angle that the sphere fills.
        let height: Float
        /// Radiance for an irradiance of 1 of a surface that faces the sphere.
        let radiance: Float
        /// The probability density, per steradian.
        var density: Float { 1 / (2 * .pi * height) }

        @inline(__always) init?(radius: Float, squaredDistance: Float) {
            let squaredSine = radius * radius / squaredDistance
            guard squaredSine > 0, squaredSine < 0.999 else { return nil }
            height = squaredSine / (1 + (1 - squaredSine).squareRoot())
            radiance = 1 / (.pi * squaredSine)
        }
    }

    /// The distance along a ray to the sphere around a point light; nil if the ray misses it.
    @inline(__always) private func surfaceDistance(_ offset: Vector3, _ direction: Vector3) -> Float? {
        let along = dot(offset, direction)
        let side = offset - direction * along
        let left = radius * radius - dot(side, side)
        return left >= 0 && along > 0 ? max(along - left.squareRoot(), 0) : nil
    }

    private var distantRadiance: Vector3 { color * (1 / (.pi * radius * radius)) }

    /// Discs of directions are sampled evenly by their projection onto the plane across the axis.
    private func distantDensity(_ direction: Vector3) -> Float {
        let cosine = -dot(direction, axis)
        guard cosine > 0, 1 - cosine * cosine <= radius * radius * 1.000_1 else { return 0 }
        return cosine / (.pi * radius * radius)
    }

    /// The light that a lobe's ray hits: radiance, the density of `sample`, and the distance; nil if it misses.
    func meet(_ origin: Vector3, _ direction: Vector3, limit: Float) -> (radiance: Vector3, density: Float)? {
        switch shape {
        case .point:
            let offset = position - origin
            guard let cap = Cap(radius: radius, squaredDistance: dot(offset, offset)), let distance = surfaceDistance(offset, direction),
                distance < limit
            else { return nil }
            return (color * (strength(offset) * cap.radiance), cap.density)
        case .distant:
            guard radius > 0, limit == .infinity else { return nil }
            let density = distantDensity(direction)
            return density > 0 ? (distantRadiance, density) : nil
        case .rectangle, .disc:
            let cosine = -dot(direction, axis)
            guard cosine > 1e-6 else { return nil }
            let offset = position - origin
            let distance = dot(offset, axis) / dot(direction, axis)
            guard distance > 0, distance < limit else { return nil }
            let point = direction * distance - offset
            let x = dot(point, right) / dot(right, right)
            let y = dot(point, up) / dot(up, up)
            guard shape == .disc ? x * x + y * y <= 1 : abs(x) <= 1 && abs(y) <= 1 else { return nil }
            return (color * strength(offset), distance * distance / (area * cosine))
        }
    }
}
