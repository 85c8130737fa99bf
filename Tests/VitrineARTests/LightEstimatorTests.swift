import Testing
import VitrineMath
import VitrineScene
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct LightEstimatorTests {
    /// A picture of one colour, sRGB-encoded 0…1.
    static func picture(_ color: Vector3, matrix: CapturedImage.Matrix = .bt601, range: CapturedImage.Range = .full) -> CapturedImage {
        let (kr, kb): (Float, Float) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let luma = kr * color.x + (1 - kr - kb) * color.y + kb * color.z
        let (cb, cr) = ((color.z - luma) / (2 - 2 * kb), (color.x - luma) / (2 - 2 * kr))
        func byte(_ value: Float) -> UInt8 { UInt8(min(max(value, 0), 255).rounded()) }
        let isVideo = range == .video
        let y = byte(isVideo ? 16 + 219 * luma : 255 * luma)
        let (b, r) = (byte(128 + (isVideo ? 224 : 255) * cb), byte(128 + (isVideo ? 224 : 255) * cr))
        return CapturedImage(
            luma: Plane(width: 64, height: 48, repeating: y), chroma: (0..<(32 * 24)).flatMap { _ in [b, r] }, matrix: matrix, range: range)
    }

    /// sRGB's encoding of a linear grey.
    static func grey(_ linear: Float) -> Vector3 { Vector3(repeating: sRGBFromLinear(linear)) }

    @Test(arguments: CapturedImage.Matrix.allCases, CapturedImage.Range.allCases)
    func aGreyCardIsNeutral(matrix: CapturedImage.Matrix, range: CapturedImage.Range) {
        var estimator = LightEstimator()
        let estimate = estimator.update(time: 0, image: Self.picture(Self.grey(0.18), matrix: matrix, range: range))
        #expect(abs(estimate.ambientIntensity - 1000) < 15)
        #expect(abs(estimate.ambientColorTemperature - 6500) < 10)
    }

    /// CIE's standard illuminants by their chromaticities (CIE 15:2004).
    @Test(arguments: [(0.4476, 0.4074, 2856.0), (0.3457, 0.3585, 5003), (0.3127, 0.3290, 6504), (0.2990, 0.3149, 7504)])
    func illuminantsHaveTheirTemperatures(x: Double, y: Double, kelvin: Double) throws {
        let xyz = SIMD3(x / y, 1, (1 - x - y) / y)
        // The inverse of sRGB's matrix.
        let color = SIMD3(
            (SIMD3(3.2406, -1.5372, -0.4986) * xyz).sum(), (SIMD3(-0.9689, 1.8758, 0.0415) * xyz).sum(),
            (SIMD3(0.0557, -0.2040, 1.0570) * xyz).sum())
        let temperature = try #require(LightEstimator.temperature(ofLinear: color))
        #expect(abs(temperature - kelvin) < 0.01 * kelvin)
        // And through a picture of that light.
        let linear = Vector3(color * (0.3 / color.max()))
        let encoded = Vector3(sRGBFromLinear(linear.x), sRGBFromLinear(linear.y), sRGBFromLinear(linear.z))
        for range in CapturedImage.Range.allCases {
            var estimator = LightEstimator()
            let estimate = estimator.update(time: 0, image: Self.picture(encoded, matrix: .bt709, range: range))
            #expect(abs(Double(estimate.ambientColorTemperature) - kelvin) < 0.03 * kelvin)
        }
    }

    @Test func exposureIsDividedOut() {
        var estimator = LightEstimator()
        let image = Self.picture(Self.grey(0.18))
        #expect(abs(estimator.update(time: 0, image: image, gain: 4).ambientIntensity - 250) < 5)
        estimator.reset()
        #expect(abs(estimator.update(time: 0, image: image, exposureDuration: 1.0 / 240).ambientIntensity - 4000) < 60)
        estimator.reset()
        for nonsense in [0, -1, Double.nan, .infinity] {
            #expect(abs(estimator.update(time: 0, image: image, exposureDuration: nonsense, gain: nonsense).ambientIntensity - 1000) < 15)
        }
    }

    @Test func changesAreFollowedWithTheTimeConstant() {
        var estimator = LightEstimator()
        _ = estimator.update(time: 0, image: Self.picture(Self.grey(0.18)))
        var last = ARLightEstimate()
        for i in 1...15 { last = estimator.update(time: Double(i) / 30, image: Self.picture(Self.grey(0.36))) }
        // Half a second after: 1 − 1/e of the way from 1000 to 2000, however many pictures there were.
        #expect(abs(last.ambientIntensity - 1632) < 25)
        for i in 16...150 { last = estimator.update(time: Double(i) / 30, image: Self.picture(Self.grey(0.36))) }
        #expect(abs(last.ambientIntensity - 2000) < 30)
        #expect(abs(estimator.update(time: 1, image: Self.picture(Self.grey(0.18))).ambientIntensity - 1000) < 15)
    }

    @Test func greyCamerasAndDarkPicturesSayWhite() {
        var estimator = LightEstimator()
        let grey = CapturedImage(luma: Plane(width: 7, height: 5, repeating: 118))
        #expect(estimator.update(time: 0, image: grey).ambientColorTemperature == 6500)
        estimator.reset()
        let dark = estimator.update(time: 0, image: Self.picture(.zero))
        #expect(dark.ambientIntensity < 1 && dark.ambientColorTemperature == 6500)
        estimator.reset()
        let bright = estimator.update(time: 0, image: Self.picture(Vector3(1, 1, 1)))
        #expect(bright.ambientIntensity > 5000 && bright.ambientColorTemperature == 6500)
    }

    @Test func warmIsWarmAndColdIsCold() {
        var estimator = LightEstimator()
        let warm = estimator.update(time: 0, image: Self.picture(Vector3(0.7, 0.55, 0.4))).ambientColorTemperature
        estimator.reset()
        let cold = estimator.update(time: 0, image: Self.picture(Vector3(0.45, 0.55, 0.7))).ambientColorTemperature
        #expect(warm < 4500 && warm >= 2000 && cold > 9000 && cold <= 25000)
    }

    /// Three quarters of a room are brown; the white of a page tells the light.
    @Test func brownRoomsAreNoWarmLight() {
        var luma = Plane<UInt8>(width: 64, height: 48, repeating: 0)
        var chroma: [UInt8] = []
        let (brown, white) = (Self.picture(Vector3(0.5, 0.32, 0.18)), Self.picture(Vector3(0.85, 0.85, 0.85)))
        for y in 0..<48 { for x in 0..<64 { luma[x, y] = (x < 48 ? brown : white).luma[x, y] } }
        for y in 0..<24 {
            for x in 0..<32 {
                for part in 0..<2 { chroma.append((x < 24 ? brown : white).chroma?[2 * (32 * y + x) + part] ?? 0) }
            }
        }
        var estimator = LightEstimator()
        #expect(estimator.update(time: 0, image: CapturedImage(luma: luma, chroma: chroma)).ambientColorTemperature > 6000)
        estimator.reset()
        #expect(estimator.update(time: 0, image: brown).ambientColorTemperature < 4000)
    }

    // MARK: Surroundings

    static func pixel(_ image: Image, _ x: Int, _ y: Int) -> Vector3 {
        func value(_ channel: Int) -> Float {
            let i = 16 * (y * image.width + x) + 4 * channel
            return Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(image.bytes[i + $1]) << UInt32(8 * $1) })
        }
        return Vector3(value(0), value(1), value(2))
    }

    @Test func picturesLandWhereTheCameraLooked() throws {
        var surroundings = EnvironmentEstimator(height: 32)
        #expect(surroundings.image() == nil && surroundings.coverage == 0)
        let camera = CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 1)
        let red = Vector3(0.5, 0, 0)
        let green = Vector3(0, 0.5, 0)
        let blue = Vector3(0, 0, 0.5)
        for (direction, color) in [(Vector3d(1, 0, 0), red), (Vector3d(0, 0, 1), green), (Vector3d(-1, 0, 0.001), blue)] {
            let encoded = Vector3(sRGBFromLinear(color.x), sRGBFromLinear(color.y), sRGBFromLinear(color.z))
            for _ in 0..<3 {
                surroundings.add(
                    Self.picture(encoded),
                    worldFromCamera: SyntheticRoom.looking(from: Vector3d(1, 2, 3), to: Vector3d(1, 2, 3) + direction),
                    camera: camera)
            }
        }
        let image = try #require(surroundings.image())
        #expect(image.width == 64 && image.height == 32)
        #expect(length(Self.pixel(image, 32, 16) - red) < 0.02)
        #expect(length(Self.pixel(image, 48, 16) - green) < 0.02)
        #expect(length(Self.pixel(image, 0, 16) - blue) < 0.02 && length(Self.pixel(image, 63, 16) - blue) < 0.02)
        // Nothing is left empty, and what lies between is a mixture.
        for y in 0..<32 { for x in 0..<64 { #expect(Self.pixel(image, x, y).sum() > 0.2) } }
        #expect(surroundings.coverage > 0.1 && surroundings.coverage < 0.5)
        #expect(Environment(image: image).image === image)
    }

    @Test func exposuresAgreeInTheSurroundings() throws {
        var surroundings = EnvironmentEstimator(height: 16)
        let camera = CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 1)
        surroundings.add(Self.picture(Self.grey(0.4)), worldFromCamera: .identity, camera: camera, gain: 2)
        surroundings.add(Self.picture(Self.grey(0.2)), worldFromCamera: .identity, camera: camera, gain: 1)
        surroundings.add(Self.picture(Self.grey(0.9)), worldFromCamera: .identity, camera: camera, gain: .nan)
        let image = try #require(surroundings.image())
        for x in 0..<32 { #expect(length(Self.pixel(image, x, 8) - Vector3(repeating: 0.2)) < 0.01) }
    }
}
