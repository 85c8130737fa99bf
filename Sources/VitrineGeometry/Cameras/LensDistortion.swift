/// The camera models, with their usual names.
///
/// Pinhole ⊂ simple radial ⊂ radial ⊂ Brown–Conrady share one projection, equidistant ⊂ OpenCV fisheye another; see `LensDistortion`.
package enum LensModel: String, Sendable, Hashable, CaseIterable {
    /// A pinhole camera: one focal length, a centred principal point, no distortion.
    case pinhole
    /// A lens with one focal length, a centred principal point and the radial coefficient k1.
    case simpleRadial
    /// A lens with one focal length, a centred principal point and the radial coefficients k1 and k2.
    case radial
    /// Two focal lengths, the principal point, k1, k2, k3, p1, p2. COLMAP: `FULL_OPENCV` without k4, k5, k6, `OPENCV` without k3.
    case brownConrady
    /// A fisheye lens with one focal length and a centred principal point; the distance from the principal point is proportional to the
    /// angle from the optical axis.
    case equidistant
    /// Two focal lengths, the principal point, k1, k2, k3, k4 of Kannala and Brandt. COLMAP: `OPENCV_FISHEYE`; Kalibr: `equi`.
    case openCVFisheye

    /// Whether the model is a fisheye projection, a function of the angle from the axis instead of its tangent.
    package var isFisheye: Bool { self == .equidistant || self == .openCVFisheye }

    /// Creates the model of a lens of which the first `fitted` of `CameraIntrinsics.parameters` are estimated.
    package init(_ projection: LensDistortion.Projection, fitted: Int) {
        switch projection {
        case .kannalaBrandt: self = fitted > 1 ? .openCVFisheye : .equidistant
        case .brownConrady: self = fitted <= 1 ? .pinhole : fitted == 2 ? .simpleRadial : fitted == 3 ? .radial : .brownConrady
        }
    }

    /// The number of leading `CameraIntrinsics.parameters` of the model; nil for all parameters of the projection.
    package var fittedCount: Int? {
        switch self {
        case .pinhole, .equidistant: 1
        case .simpleRadial: 2
        case .radial: 3
        case .brownConrady, .openCVFisheye: nil
        }
    }
}

/// The distortion of a lens: its projection with coefficients.
///
/// This file contains all code that is specific to a lens model, except derivatives (`ProjectionDerivatives.swift`) and the shader for camera
/// images (`VitrineARView/Camera/LensKind.swift`). Checkpoints, camera files and recordings store `projection` and `coefficients`.
///
/// Maps a direction (x, y, z) of the camera frame to distorted normalized coordinates (u', v'); the pixel is focal · (u', v') + center.
@frozen public enum LensDistortion: Equatable, Hashable, Sendable {
    /// Brown and Conrady's model, for fields of view up to about 120°. With u = x/z, v = y/z and r² = u² + v²:
    /// u' = u (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 u v + p2 (r² + 2 u²), v' = v (1 + …) + p1 (r² + 2 v²) + 2 p2 u v.
    ///
    /// - Parameters:
    ///   - radial: k1, k2, k3.
    ///   - tangential: p1, p2.
    case brownConrady(radial: Vector3d, tangential: Vector2d)

    /// Kannala and Brandt's model (2006) with four coefficients, OpenCV's fisheye model. With the angle θ from the optical axis:
    /// θ' = θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸), (u', v') = θ' (x, y) / √(x² + y²).
    ///
    /// All coefficients 0: the equidistant projection.
    case kannalaBrandt(SIMD4<Double>)

    /// No distortion: a pinhole camera.
    @inlinable public static var none: LensDistortion { .brownConrady(radial: .zero, tangential: .zero) }
    /// The equidistant fisheye projection.
    @inlinable public static var equidistant: LensDistortion { .kannalaBrandt(.zero) }
    /// Brown and Conrady's model with up to two radial coefficients: simple radial if `k2` is 0.
    @inlinable public static func radial(_ k1: Double, _ k2: Double = 0) -> LensDistortion {
        .brownConrady(radial: Vector3d(k1, k2, 0), tangential: .zero)
    }
    /// Brown and Conrady's model from four coefficients in OpenCV's order: k1, k2, p1, p2.
    @inlinable public static func brownConrady(_ coefficients: SIMD4<Double>) -> LensDistortion {
        .brownConrady(radial: Vector3d(coefficients.x, coefficients.y, 0), tangential: Vector2d(coefficients.z, coefficients.w))
    }

    /// Whether the lens is not a pinhole. True for every fisheye lens.
    @inlinable public var isDistorted: Bool {
        switch self {
        case .brownConrady(let radial, let tangential): radial != .zero || tangential != .zero
        case .kannalaBrandt: true
        }
    }

    /// Whether this is a fisheye projection.
    @inlinable public var isFisheye: Bool {
        if case .kannalaBrandt = self { true } else { false }
    }

    /// The coefficients k1, k2 and k3 of Brown and Conrady's model; 0 for a fisheye.
    @inlinable package var radial: Vector3d {
        if case .brownConrady(let radial, _) = self { radial } else { .zero }
    }

    /// The coefficients p1 and p2 of Brown and Conrady's model; 0 for a fisheye.
    @inlinable package var tangential: Vector2d {
        if case .brownConrady(_, let tangential) = self { tangential } else { .zero }
    }

    /// The coefficients k1 to k4 of a fisheye; nil for the other lenses.
    @inlinable package var fisheye: SIMD4<Double>? {
        if case .kannalaBrandt(let k) = self { k } else { nil }
    }

    /// The four coefficients that calibration files and trackers use: k1, k2, p1, p2 of Brown and Conrady, without k3, or k1 to k4 of a fisheye
    /// lens.
    @inlinable public var fourCoefficients: SIMD4<Double> {
        get {
            switch self {
            case .brownConrady(let radial, let tangential): SIMD4(radial.x, radial.y, tangential.x, tangential.y)
            case .kannalaBrandt(let k): k
            }
        }
        set {
            switch self {
            case .brownConrady(let radial, _):
                self = .brownConrady(radial: Vector3d(newValue.x, newValue.y, radial.z), tangential: Vector2d(newValue.z, newValue.w))
            case .kannalaBrandt: self = .kannalaBrandt(newValue)
            }
        }
    }

    /// The simplest model that has these coefficients.
    package var model: LensModel {
        switch self {
        case .brownConrady(let radial, let tangential):
            if tangential != .zero || radial.z != 0 { return .brownConrady }
            return radial.y != 0 ? .radial : radial.x != 0 ? .simpleRadial : .pinhole
        case .kannalaBrandt(let k): return k == .zero ? .equidistant : .openCVFisheye
        }
    }
}

extension LensDistortion {
    /// The projections of the camera models. Checkpoints store the raw values, which must not change.
    package enum Projection: Int, Sendable, Hashable, CaseIterable {
        case brownConrady = 0
        case kannalaBrandt = 1

        /// The names of `coefficients`, in their order.
        package var coefficientNames: [String] {
            switch self {
            case .brownConrady: ["k1", "k2", "k3", "p1", "p2"]
            case .kannalaBrandt: ["k1", "k2", "k3", "k4"]
            }
        }

        /// The names in calibration files, in lower case. Vitrine's recordings use the first.
        package var calibrationNames: [String] {
            switch self {
            case .brownConrady: ["radialTangential", "radtan", "radial-tangential", "radtan4", "plumb_bob"]
            case .kannalaBrandt: ["equidistant", "equi", "kannala_brandt"]
            }
        }

        /// The key of the coefficients in poses files; nil for the keys `radial` and `tangential`.
        package var posesKey: String? {
            switch self {
            case .brownConrady: nil
            case .kannalaBrandt: "fisheye"
            }
        }

        /// Creates the projection with this name in a calibration file; upper and lower case are equal.
        package init?(calibrationName name: String) {
            let name = name.lowercased()
            guard let match = Self.allCases.first(where: { $0.calibrationNames.contains { $0.lowercased() == name } }) else { return nil }
            self = match
        }
    }

    package var projection: Projection {
        switch self {
        case .brownConrady: .brownConrady
        case .kannalaBrandt: .kannalaBrandt
        }
    }

    /// All coefficients, in the order of `Projection.coefficientNames`.
    package var coefficients: [Double] {
        switch self {
        case .brownConrady(let k, let p): [k.x, k.y, k.z, p.x, p.y]
        case .kannalaBrandt(let k): [k.x, k.y, k.z, k.w]
        }
    }

    /// Creates the distortion of a projection.
    ///
    /// - Parameter coefficients: The coefficients in the order of `Projection.coefficientNames`; missing ones are 0.
    package init(_ projection: Projection, coefficients: [Double]) {
        func k(_ index: Int) -> Double { index < coefficients.count ? coefficients[index] : 0 }
        switch projection {
        case .brownConrady: self = .brownConrady(radial: Vector3d(k(0), k(1), k(2)), tangential: Vector2d(k(3), k(4)))
        case .kannalaBrandt: self = .kannalaBrandt(SIMD4(k(0), k(1), k(2), k(3)))
        }
    }

    /// - Parameter fourCoefficients: See the property `fourCoefficients`.
    package init(_ projection: Projection, fourCoefficients: SIMD4<Double>) {
        self.init(projection, coefficients: [])
        self.fourCoefficients = fourCoefficients
    }

    /// Whether every coefficient is finite.
    package var isFinite: Bool { coefficients.allSatisfy { $0.isFinite } }

    /// Returns whether a real lens can have these coefficients: distances from the principal point increase out to the image's corners.
    ///
    /// - Parameter corner: The distance of the farthest corner from the principal point, in focal lengths.
    package func isPlausible(corner: Double) -> Bool {
        switch self {
        case .brownConrady(let radial, let tangential):
            guard abs(tangential.x) < 0.05, abs(tangential.y) < 0.05 else { return false }
            return (1...10).allSatisfy { step in
                let s = (corner * Double(step) / 10) * (corner * Double(step) / 10)
                return 1 + s * (3 * radial.x + s * (5 * radial.y + s * 7 * radial.z)) > 0.2
            }
        case .kannalaBrandt(let k):
            return (1...10).allSatisfy { step in
                let angle = min(.pi, corner) * Double(step) / 10
                return Self.angleSlope(squared: angle * angle, k) > 0.2
            }
        }
    }

    /// Returns the distorted normalized coordinates of a direction.
    ///
    /// Fisheye lenses map directions behind the camera too. For other lenses, the result is meaningless for z ≤ 0.
    @inlinable package func distort(_ direction: Vector3d) -> Vector2d {
        let normalized = Vector2d(direction.x, direction.y) / direction.z
        switch self {
        case .brownConrady(let radial, let tangential):
            let isPinhole = radial == .zero && tangential == .zero
            return isPinhole ? normalized : distort(normalized)
        case .kannalaBrandt(let k):
            if direction.z > 0 { return distort(normalized) }
            let side = Vector2d(direction.x, direction.y)
            let radius = (side * side).sum().squareRoot()
            return side * (Self.distortedAngle(atan2(radius, direction.z), k) / radius)
        }
    }

    /// Returns the distorted normalized coordinates of the direction (u, v, 1).
    @inlinable package func distort(_ normalized: Vector2d) -> Vector2d {
        let (u, v) = (normalized.x, normalized.y)
        let squared = u * u + v * v
        switch self {
        case .brownConrady(let radial, let tangential):
            let factor = 1 + squared * (radial.x + squared * (radial.y + squared * radial.z))
            return Vector2d(
                u * factor + 2 * tangential.x * u * v + tangential.y * (squared + 2 * u * u),
                v * factor + tangential.x * (squared + 2 * v * v) + 2 * tangential.y * u * v)
        case .kannalaBrandt(let k):
            let radius = squared.squareRoot()
            guard radius > 1e-9 else { return normalized }
            return normalized * (Self.distortedAngle(atan2(radius, 1), k) / radius)
        }
    }

    /// Returns the undistorted normalized coordinates (x/z, y/z) whose distorted coordinates are `target`.
    ///
    /// If no direction maps to `target`, because the model's distortion stops increasing at a smaller angle, returns the nearest coordinates. For
    /// fisheye lenses the angle from the axis is limited to 89°; `undistortedDirection` has no such limit.
    package func undistort(_ target: Vector2d) -> Vector2d {
        switch self {
        case .brownConrady(let radial, let tangential):
            guard radial != .zero || tangential != .zero else { return target }
            return undistortByNewton(target)
        case .kannalaBrandt(let k):
            let radius = (target * target).sum().squareRoot()
            guard radius > 1e-9 else { return target }
            let angle = Self.undistortedAngle(radius, k, limit: 1.55)
            return target * (sin(angle) / cos(angle) / radius)
        }
    }

    /// Returns the direction in the camera frame whose distorted coordinates are `target`. Not normalized.
    package func undistortedDirection(_ target: Vector2d) -> Vector3d {
        if case .kannalaBrandt(let k) = self {
            let radius = (target * target).sum().squareRoot()
            guard radius > 1e-9 else { return Vector3d(target.x, target.y, 1) }
            let angle = Self.undistortedAngle(radius, k, limit: .pi)
            let side = target * (sin(angle) / radius)
            return Vector3d(side.x, side.y, cos(angle))
        }
        let normalized = undistort(target)
        return Vector3d(normalized.x, normalized.y, 1)
    }

    /// Returns θ' of θ.
    @inlinable package static func distortedAngle(_ angle: Double, _ k: SIMD4<Double>) -> Double {
        let squared = angle * angle
        return angle * (1 + squared * (k.x + squared * (k.y + squared * (k.z + squared * k.w))))
    }

    /// Returns d θ' / d θ, from θ².
    @inlinable package static func angleSlope(squared: Double, _ k: SIMD4<Double>) -> Double {
        1 + squared * (3 * k.x + squared * (5 * k.y + squared * (7 * k.z + squared * 9 * k.w)))
    }

    /// Returns θ of θ' = `radius`, by Newton's method.
    private static func undistortedAngle(_ radius: Double, _ k: SIMD4<Double>, limit: Double) -> Double {
        var angle = min(radius, limit < 1.6 ? 1.5 : limit)
        for _ in 0..<20 {
            let step = (distortedAngle(angle, k) - radius) / max(angleSlope(squared: angle * angle, k), 0.1)
            angle = min(max(angle - step, 0), limit)
            if abs(step) < 1e-13 { break }
        }
        return angle
    }

    /// Inverts the distortion by Newton's method; halves steps that increase the error.
    private func undistortByNewton(_ target: Vector2d) -> Vector2d {
        var guess = target
        // Beyond the angle at which the model's radius decreases, further directions map to the same pixel, but not for real lenses.
        for _ in 0..<20 where !jacobian(guess).isUpright { guess *= 0.7 }
        var error = distort(guess) - target
        for _ in 0..<20 {
            let size = (error * error).sum()
            guard size > 1e-26, size.isFinite else { break }
            var step = jacobian(guess).solve(error)
            var isNearer = false
            for _ in 0..<12 where !isNearer {
                let next = guess - step
                let nextError = distort(next) - target
                isNearer = (nextError * nextError).sum() < size && jacobian(next).isUpright
                if isNearer { (guess, error) = (next, nextError) } else { step *= 0.5 }
            }
            if !isNearer { break }
        }
        return guess
    }

    /// The derivative of Brown and Conrady's distorted coordinates with respect to the undistorted ones: a symmetric matrix.
    private struct Jacobian {
        var uu, uv, vv: Double

        var determinant: Double { uu * vv - uv * uv }
        /// Whether the mapping is locally invertible and keeps orientation.
        var isUpright: Bool { determinant > 1e-6 && uu > 0 }

        func solve(_ right: Vector2d) -> Vector2d {
            Vector2d(right.x * vv - right.y * uv, right.y * uu - right.x * uv) / determinant
        }
    }

    private func jacobian(_ normalized: Vector2d) -> Jacobian {
        guard case .brownConrady(let radial, let tangential) = self else { return Jacobian(uu: 1, uv: 0, vv: 1) }
        let (u, v) = (normalized.x, normalized.y)
        let squared = u * u + v * v
        let factor = 1 + squared * (radial.x + squared * (radial.y + squared * radial.z))
        let slope = 2 * (radial.x + squared * (2 * radial.y + squared * 3 * radial.z))
        return Jacobian(
            uu: factor + slope * u * u + 2 * tangential.x * v + 6 * tangential.y * u,
            uv: slope * u * v + 2 * (tangential.x * u + tangential.y * v),
            vv: factor + slope * v * v + 6 * tangential.x * v + 2 * tangential.y * u)
    }
}

/// A camera model with the name used in camera files: COLMAP's, and Nerfstudio's for models with two focal lengths.
package struct NamedCameraModel: Sendable, Equatable {
    package let name: String
    package let projection: LensDistortion.Projection
    /// Whether fx = fy; files then contain one focal length.
    package let hasOneFocalLength: Bool
    /// The order of the coefficients in files. Those that the projection does not have must be 0.
    package let coefficientNames: [String]

    private init(_ name: String, _ projection: LensDistortion.Projection = .brownConrady, focals: Int, _ coefficients: [String] = []) {
        (self.name, self.projection, hasOneFocalLength, coefficientNames) = (name, projection, focals == 1, coefficients)
    }

    /// The models, from the simplest to the most general of each projection.
    package static let all = [
        NamedCameraModel("SIMPLE_PINHOLE", focals: 1), NamedCameraModel("PINHOLE", focals: 2),
        NamedCameraModel("SIMPLE_RADIAL", focals: 1, ["k1"]), NamedCameraModel("RADIAL", focals: 1, ["k1", "k2"]),
        NamedCameraModel("OPENCV", focals: 2, ["k1", "k2", "p1", "p2"]),
        NamedCameraModel("FULL_OPENCV", focals: 2, ["k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"]),
        NamedCameraModel("OPENCV_FISHEYE", .kannalaBrandt, focals: 2, ["k1", "k2", "k3", "k4"]),
    ]

    /// Returns the model that `transforms.json` names for a projection; the file has the additional coefficient k3.
    package static func transforms(_ projection: LensDistortion.Projection) -> NamedCameraModel {
        all.first { $0.projection == projection && !$0.hasOneFocalLength && !$0.coefficientNames.isEmpty }!
    }

    /// Returns the simplest model that represents these intrinsics exactly.
    package static func simplest(_ camera: CameraIntrinsics) -> NamedCameraModel {
        let projection = camera.distortion.projection
        let needed = zip(projection.coefficientNames, camera.distortion.coefficients).filter { $0.1 != 0 }.map { $0.0 }
        return all.first { model in
            model.projection == projection && (camera.focal.x == camera.focal.y || !model.hasOneFocalLength)
                && needed.allSatisfy(model.coefficientNames.contains)
        }!
    }

    package var parameterCount: Int { (hasOneFocalLength ? 3 : 4) + coefficientNames.count }

    /// Returns focal lengths, principal point and coefficients in the order of files.
    package func parameters(_ camera: CameraIntrinsics) -> [Double] {
        let (f, c) = (camera.focal, camera.center)
        let values = Dictionary(uniqueKeysWithValues: zip(projection.coefficientNames, camera.distortion.coefficients))
        return (hasOneFocalLength ? [f.x, c.x, c.y] : [f.x, f.y, c.x, c.y]) + coefficientNames.map { values[$0] ?? 0 }
    }

    /// Returns the names of coefficients that are not 0 although the projection does not have them.
    package func unsupported(_ parameters: [Double]) -> [String] {
        zip(coefficientNames, parameters.suffix(coefficientNames.count)).filter { $0.1 != 0 && !projection.coefficientNames.contains($0.0) }
            .map { $0.0 }
    }

    /// Returns the intrinsics with the given parameters.
    ///
    /// - Parameter parameters: `parameterCount` numbers in the order of `parameters(_:)`.
    package func intrinsics(
        _ parameters: [Double]
    ) -> (focal: Vector2d, center: Vector2d, distortion: LensDistortion) {
        let count = hasOneFocalLength ? 1 : 2
        let values = Dictionary(uniqueKeysWithValues: zip(coefficientNames, parameters.dropFirst(count + 2)))
        return (
            Vector2d(parameters[0], parameters[count - 1]), Vector2d(parameters[count], parameters[count + 1]),
            LensDistortion(projection, coefficients: projection.coefficientNames.map { values[$0] ?? 0 })
        )
    }
}
