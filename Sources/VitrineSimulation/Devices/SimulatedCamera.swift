import Vitrine
import VitrineAR
import VitrineGPU
import VitrineVision

/// Takes pictures of a room through a lens: draws it as pinholes see it, and bends that as the lens does.
///
/// One thread at a time.
public final class SimulatedCamera {
    public let camera: CameraIntrinsics
    public let room: SimulatedRoom
    private let renderer: Renderer
    private let targets: [OffscreenTarget]
    private let warp: LensWarp
    private var depthRays: [Vector3?] = []
    private var depthSize = (width: 0, height: 0)

    /// - Throws: `RenderError` or `GPUError` where there is no GPU, or where the lens wants a larger picture than it has.
    public init(_ camera: CameraIntrinsics, in room: SimulatedRoom, device: GPUDevice? = nil) throws {
        (self.camera, self.room) = (camera, room)
        let device = try device ?? GPUDevice.make()
        renderer = try Renderer(device: device)
        warp = LensWarp(camera)
        targets = try warp.faces.map { try OffscreenTarget(device, width: $0.width, height: $0.height) }
    }

    /// Adds what is seen at one moment to a picture.
    ///
    /// - Parameter worldFromCamera: x right, y down, z forward.
    func expose(_ picture: inout SensorPicture, at worldFromCamera: RigidTransform) throws {
        let options = RenderOptions(toneMapping: .none)
        var images: [Image] = []
        for (face, target) in zip(warp.faces, targets) {
            let pose = worldFromCamera * RigidTransform(rotation: face.cameraFromFace, translation: .zero)
            let slope = Double(face.height) / 2 / warp.focal
            let lens = Camera(projection: .perspective(fieldOfView: .radians(Float(2 * atan2(slope, 1)))), near: 0.03)
            try renderer.render(room.scene, from: View(camera: lens, worldFromCamera: Self.matrix(pose)), to: target.view, options: options)
            images.append(try target.image())
        }
        picture.expose(images, through: warp)
    }

    /// The renderer's camera looks along its −Z, +Y up.
    static func matrix(_ pose: RigidTransform) -> Matrix4 {
        let column = { (v: Vector3d, w: Float) in Vector4(Float(v.x), Float(v.y), Float(v.z), w) }
        let r = pose.rotation
        return Matrix4(column(r.x, 0), column(-r.y, 0), column(-r.z, 0), column(pose.translation, 1))
    }

    /// Distances along the camera's axis, by a ray for every pixel of a small picture through the same lens; 0 where nothing is met.
    ///
    /// - Parameters:
    ///   - worldFromCamera: x right, y down, z forward.
    ///   - width, height: in pixels; the same field of view as the camera's, whatever the size.
    public func depth(at worldFromCamera: RigidTransform, width: Int, height: Int) -> DepthImage {
        if depthSize != (width, height) { makeDepthRays(width, height) }
        var metres = Plane<Float>(width: width, height: height, repeating: 0)
        let world = Self.matrix(worldFromCamera)
        for (index, ray) in depthRays.enumerated() {
            guard let ray else { continue }
            let worldRay = Ray(origin: world.translation, direction: world.transform(direction: ray))
            // Directions have length 1 along the axis, so that distances along the ray are those along the axis.
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
