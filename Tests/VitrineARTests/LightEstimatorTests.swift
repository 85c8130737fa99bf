import Testing
import VitrineMath
import VitrineScene
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct LightEstimatorTests {
    /// An image of one sRGB-encoded colour, 0…1.
    static func image(_ color: Vector3, matrix: CapturedImage.Matrix = .bt601, range: CapturedImage.Range = .full) -> CapturedImage {
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

    /// The sRGB encoding of a linear grey.
    static func grey(_ linear: Float) -> Vector3 { Vector3(repeating: sRGBFromLinear(linear)) }

    @Test(arguments: CapturedImage.Matrix.allCases, CapturedImage.Range.allCases)
    func aGreyCardIsNeutral(matrix: CapturedImage.Matrix, range: CapturedImage.Range) {
        var estimator = LightEstimator()
        let estimate = estimator.update(time: 0, image: Self.image(Self.grey(0.18), matrix: matrix, range: range))
        #expect(abs(estimate.ambientIntensity - 1000) < 15)
        #expect(abs(estimate.ambientColorTemperature - 6500) < 10)
    }

    /// The CIE standard illuminants by their chromaticities (CIE 15:2004).
    @Test(arguments: [(0.4476, 0.4074, 2856.0), (0.3457, 0.3585, 5003), (0.3127, 0.3290, 6504), (0.2990, 0.3149, 7504)])
    func illuminantsHaveTheirTemperatures(x: Double, y: Double, kelvin: Double) throws {
        let xyz = SIMD3(x / y, 1, (1 - x - y) / y)
        // The inverse of the sRGB matrix.
        let color = SIMD3(
            (SIMD3(3.2406, -1.5372, -0.4986) * xyz).sum(), (SIMD3(-0.9689, 1.8758, 0.0415) * xyz).sum(),
            (SIMD3(0.0557, -0.2040, 1.0570) * xyz).sum())
        let temperature = try #require(LightEstimator.temperature(ofLinear: color))
        #expect(abs(temperature - kelvin) < 0.01 * kelvin)
        // The same for an image of that light.
        let linear = Vector3(color * (0.3 / color.max()))
        let encoded = Vector3(sRGBFromLinear(linear.x), sRGBFromLinear(linear.y), sRGBFromLinear(linear.z))
        for range in CapturedImage.Range.allCases {
            var estimator = LightEstimator()
            let estimate = estimator.update(time: 0, image: Self.image(encoded, matrix: .bt709, range: range))
            #expect(abs(Double(estimate.ambientColorTemperature) - kelvin) < 0.03 * kelvin)
        }
    }

    @Test func estimatesAreDividedByExposure() {
        var estimator = LightEstimator()
        let image = Self.image(Self.grey(0.18))
        #expect(abs(estimator.update(time: 0, image: image, gain: 4).ambientIntensity - 250) < 5)
        estimator.reset()
        #expect(abs(estimator.update(time: 0, image: image, exposureDuration: 1.0 / 240).ambientIntensity - 4000) < 60)
        estimator.reset()
        for nonsense in [0, -1, Double.nan, .infinity] {
            #expect(abs(estimator.update(time: 0, image: image, exposureDuration: nonsense, gain: nonsense).ambientIntensity - 1000) < 15)
        }
    }

    @Test func changesAreSmoothedByTheTimeConstant() {
        var estimator = LightEstimator()
        _ = estimator.update(time: 0, image: Self.image(Self.grey(0.18)))
        var last = ARLightEstimate()
        for i in 1...15 { last = estimator.update(time: Double(i) / 30, image: Self.image(Self.grey(0.36))) }
        // After half a second: 1 − 1/e of the change from 1000 to 2000, independent of the number of images.
        #expect(abs(last.ambientIntensity - 1632) < 25)
        for i in 16...150 { last = estimator.update(time: Double(i) / 30, image: Self.image(Self.grey(0.36))) }
        #expect(abs(last.ambientIntensity - 2000) < 30)
        #expect(abs(estimator.update(time: 1, image: Self.image(Self.grey(0.18))).ambientIntensity - 1000) < 15)
    }

    @Test func monochromeAndDarkImagesGiveWhite() {
        var estimator = LightEstimator()
        let grey = CapturedImage(luma: Plane(width: 7, height: 5, repeating: 118))
        #expect(estimator.update(time: 0, image: grey).ambientColorTemperature == 6500)
        estimator.reset()
        let dark = estimator.update(time: 0, image: Self.image(.zero))
        #expect(dark.ambientIntensity < 1 && dark.ambientColorTemperature == 6500)
        estimator.reset()
        let bright = estimator.update(time: 0, image: Self.image(Vector3(1, 1, 1)))
        #expect(bright.ambientIntensity > 5000 && bright.ambientColorTemperature == 6500)
    }

    @Test func colourTemperatureFollowsTheLight() {
        var estimator = LightEstimator()
        let warm = estimator.update(time: 0, image: Self.image(Vector3(0.7, 0.55, 0.4))).ambientColorTemperature
        estimator.reset()
        let cold = estimator.update(time: 0, image: Self.image(Vector3(0.45, 0.55, 0.7))).ambientColorTemperature
        #expect(warm < 4500 && warm >= 2000 && cold > 9000 && cold <= 25000)
    }

    /// Three quarters of the image are brown; a white page determines the colour of the light.
    @Test func brownSurfacesAreNotWarmLight() {
        var luma = Plane<UInt8>(width: 64, height: 48, repeating: 0)
        var chroma: [UInt8] = []
        let (brown, white) = (Self.image(Vector3(0.5, 0.32, 0.18)), Self.image(Vector3(0.85, 0.85, 0.85)))
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

    // MARK: Environment

    static func pixel(_ image: Image, _ x: Int, _ y: Int) -> Vector3 {
        func value(_ channel: Int) -> Float {
            let i = 16 * (y * image.width + x) + 4 * channel
            return Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(image.bytes[i + $1]) << UInt32(8 * $1) })
        }
        return Vector3(value(0), value(1), value(2))
    }

    @Test func imagesAreStoredInTheCamerasDirection() throws {
        var environment = EnvironmentEstimator(height: 32)
        #expect(environment.image() == nil && environment.coverage == 0)
        let camera = CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 1)
        let red = Vector3(0.5, 0, 0)
        let green = Vector3(0, 0.5, 0)
        let blue = Vector3(0, 0, 0.5)
        for (direction, color) in [(Vector3d(1, 0, 0), red), (Vector3d(0, 0, 1), green), (Vector3d(-1, 0, 0.001), blue)] {
            let encoded = Vector3(sRGBFromLinear(color.x), sRGBFromLinear(color.y), sRGBFromLinear(color.z))
            for _ in 0..<3 {
                environment.add(
                    Self.image(encoded),
                    worldFromCamera: SyntheticRoom.looking(from: Vector3d(1, 2, 3), to: Vector3d(1, 2, 3) + direction),
                    camera: camera)
            }
        }
        let image = try #require(environment.image())
        #expect(image.width == 64 && image.height == 32)
        #expect(length(Self.pixel(image, 32, 16) - red) < 0.02)
        #expect(length(Self.pixel(image, 48, 16) - green) < 0.02)
        #expect(length(Self.pixel(image, 0, 16) - blue) < 0.02 && length(Self.pixel(image, 63, 16) - blue) < 0.02)
        // All directions have a value; unobserved ones are interpolated.
        for y in 0..<32 { for x in 0..<64 { #expect(Self.pixel(image, x, y).sum() > 0.2) } }
        #expect(environment.coverage > 0.1 && environment.coverage < 0.5)
        #expect(Environment(image: image).image === image)
    }

    @Test func gainsAreDividedOutOfTheEnvironment() throws {
        var environment = EnvironmentEstimator(height: 16)
        let camera = CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 1)
        environment.add(Self.image(Self.grey(0.4)), worldFromCamera: .identity, camera: camera, gain: 2)
        environment.add(Self.image(Self.grey(0.2)), worldFromCamera: .identity, camera: camera, gain: 1)
        environment.add(Self.image(Self.grey(0.9)), worldFromCamera: .identity, camera: camera, gain: .nan)
        let image = try #require(environment.image())
        for x in 0..<32 { #expect(length(Self.pixel(image, x, 8) - Vector3(repeating: 0.2)) < 0.01) }
    }
}
