import Vitrine
import VitrineAR
import VitrineGPU
import VitrineVision

/// A camera with lens distortion in a simulated room: renders pinhole images and warps them to the lens model.
///
/// Use it from one thread at a time.
package final class SimulatedCamera {
    package let camera: CameraIntrinsics
    package let room: SimulatedRoom
    private let renderer: Renderer
    private let device: GPUDevice
    /// The warp of each strip and a target for each of its faces, by the number of strips.
    private var strips: [Int: [(warp: LensWarp, targets: [OffscreenTarget])]] = [:]
    /// The possible numbers of strips of a rolling shutter's image.
    static let stripCounts = [1, 2, 4, 8, 16]
    private var depthRays: [Vector3?] = []
    private var depthSize = (width: 0, height: 0)

    /// Creates a camera in a room.
    ///
    /// - Throws: `RenderError` or `GPUError` without a GPU, or if the lens needs images larger than the GPU supports.
    package convenience init(_ camera: CameraIntrinsics, in room: SimulatedRoom, device: GPUDevice? = nil) throws {
        let device = try device ?? GPUDevice.make()
        try self.init(camera, in: room, renderer: try Renderer(device: device), device: device)
    }

    /// Creates a camera with other intrinsics in the same room, with the same renderer.
    func beside(_ camera: CameraIntrinsics) throws -> SimulatedCamera {
        try SimulatedCamera(camera, in: room, renderer: renderer, device: device)
    }

    private init(_ camera: CameraIntrinsics, in room: SimulatedRoom, renderer: Renderer, device: GPUDevice) throws {
        (self.camera, self.room, self.renderer, self.device) = (camera, room, renderer, device)
        strips[1] = try Self.strips(1, camera, device)
    }

    private static func strips(
        _ count: Int, _ camera: CameraIntrinsics, _ device: GPUDevice
    ) throws -> [(warp: LensWarp, targets: [OffscreenTarget])] {
        try (0..<count).map { index in
            let rows = camera.height * index / count..<camera.height * (index + 1) / count
            let warp = LensWarp(camera, rows: rows)
            return (warp, try warp.faces.map { try OffscreenTarget(device, width: $0.width, height: $0.height) })
        }
    }

    /// Adds the light at one time to an exposure.
    ///
    /// - Parameters:
    ///   - worldFromCamera: The camera: x right, y down, z forward.
    ///   - strip: The strip of rows to expose, of `count`.
    ///   - rowTurn: The rotation vector of the camera from the image's first row to its last.
    func expose(
        _ exposure: inout SensorExposure, at worldFromCamera: RigidTransform, strip: Int = 0, of count: Int = 1, rowTurn: Vector3d = .zero
    ) throws {
        let all = try strips[count] ?? Self.strips(count, camera, device)
        strips[count] = all
        let (warp, targets) = all[strip]
        let options = RenderOptions(toneMapping: .none)
        var images: [Image] = []
        for (face, target) in zip(warp.faces, targets) {
            let pose = worldFromCamera * RigidTransform(rotation: face.cameraFromFace, translation: .zero)
            let slope = Double(face.height) / 2 / warp.focal
            let lens = Camera(projection: .perspective(fieldOfView: .radians(Float(2 * atan2(slope, 1)))), near: 0.03)
            try renderer.render(room.scene, from: View(camera: lens, worldFromCamera: Self.matrix(pose)), to: target.view, options: options)
            images.append(try target.image())
        }
        exposure.expose(images, through: warp, rowTurn: rowTurn)
    }

    /// The pose for the renderer, whose camera looks along −Z with +Y up.
    static func matrix(_ pose: RigidTransform) -> Matrix4 {
        let column = { (v: Vector3d, w: Float) in Vector4(Float(v.x), Float(v.y), Float(v.z), w) }
        let r = pose.rotation
        return Matrix4(column(r.x, 0), column(-r.y, 0), column(-r.z, 0), column(pose.translation, 1))
    }

    /// A depth image by ray casting through the same lens; 0 where a ray hits nothing.
    ///
    /// - Parameters:
    ///   - worldFromCamera: The camera: x right, y down, z forward.
    ///   - width, height: The size of the depth image in pixels; the field of view is the camera's.
    package func depth(at worldFromCamera: RigidTransform, width: Int, height: Int) -> DepthImage {
        if depthSize != (width, height) { makeDepthRays(width, height) }
        var metres = Plane<Float>(width: width, height: height, repeating: 0)
        let world = Self.matrix(worldFromCamera)
        for (index, ray) in depthRays.enumerated() {
            guard let ray else { continue }
            let worldRay = Ray(origin: world.translation, direction: world.transform(direction: ray))
            // Directions have z = 1, so distances along the ray are depths.
            if let hit = room.scene.pick(worldRay) { metres.values[index] = hit.distance }
        }
        return DepthImage(metres: metres)
    }

    private func makeDepthRays(_ width: Int, _ height: Int) {
        depthSize = (width, height)
        let scale = Vector2d(Double(camera.width) / Double(width), Double(camera.height) / Double(height))
        depthRays = (0..<width * height).map { index in
            let pixel = Vector2d(Double(index % width) + 0.5, Double(index / width) + 0.5) * scale
            let normalized = camera.normalized(pixel)
            let direction = Vector3d(normalized.x, normalized.y, 1)
            guard lengthSquared(camera.project(direction) - pixel) < 1e-4 else { return nil }
            return Vector3(Float(normalized.x), Float(-normalized.y), -1)
        }
    }
}
