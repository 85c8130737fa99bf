import VitrineAR
import VitrineMath
import VitrineRender

/// The uniforms that all anchors share.
struct SharedUniforms: ShaderStructure {
    let clipFromCamera, cameraFromWorld: ShaderMatrix4
    /// The ambient and the directional light; w is unused.
    let ambient, directional: Vector4
    /// The direction of the directional light in the world; w: the shininess of highlights.
    let light: Vector4
    /// The camera's position in the world.
    let eye: Vector4
    /// Texture coordinates of the view's corners: left and right.
    let upperCorners, lowerCorners: Vector4

    static let name = "SharedUniforms"
    static let fields: [ShaderField<SharedUniforms>] = [
        .init("clipFromCamera") { $0.clipFromCamera }, .init("cameraFromWorld") { $0.cameraFromWorld }, .init("ambient") { $0.ambient },
        .init("directional") { $0.directional }, .init("light") { $0.light }, .init("eye") { $0.eye },
        .init("upperCorners") { $0.upperCorners }, .init("lowerCorners") { $0.lowerCorners },
    ]

    init(_ frame: ARFrame, _ orientation: InterfaceOrientation, _ viewport: Vector2) {
        // Reverse depth, 1 at 0.001 m and 0 at 1000 m: float precision is then proportional to the distance.
        clipFromCamera = ShaderMatrix4(
            frame.camera.projectionMatrix(for: orientation, viewportSize: viewport, zNear: 1000, zFar: 0.001))
        cameraFromWorld = ShaderMatrix4(frame.camera.viewMatrix(for: orientation))
        // 1 in neutral light, and without an estimate.
        let intensity = (frame.lightEstimate?.ambientIntensity ?? 1000) / 1000
        let imageFromView = frame.displayTransform(for: orientation, viewportSize: viewport).inverse
        func row(_ v: Float) -> Vector4 {
            let (left, right) = (imageFromView * Vector3(0, v, 1), imageFromView * Vector3(1, v, 1))
            return Vector4(left.x, left.y, right.x, right.y)
        }
        ambient = Vector4(Vector3(repeating: 0.5 * intensity), 0)
        directional = Vector4(Vector3(repeating: 0.6 * intensity), 0)
        light = Vector4(0, 0, -1, 30)
        eye = Vector4(frame.camera.transform.translation, 1)
        (upperCorners, lowerCorners) = (row(0), row(1))
    }
}

let arRendererShader = """
    \(SharedUniforms.wgsl)
    @group(0) @binding(0) var<uniform> frame: SharedUniforms;
    @group(0) @binding(1) var<uniform> models: array<mat4x4f, 64>;
    @group(0) @binding(2) var luma: texture_2d<f32>;
    @group(0) @binding(3) var chroma: texture_2d<f32>;
    @group(0) @binding(4) var linear: sampler;

    struct ImageVertex {
        @builtin(position) clip: vec4f,
        @location(0) uv: vec2f,
    }

    // A strip over all of the view: upper left, upper right, lower left, lower right.
    @vertex fn imagePlane(@builtin(vertex_index) index: u32) -> ImageVertex {
        let right = (index & 1u) == 1u;
        let row = select(frame.upperCorners, frame.lowerCorners, index > 1u);
        let corner = vec2f(select(-1.0, 1.0, right), select(1.0, -1.0, index > 1u));
        return ImageVertex(vec4f(corner, 0.0, 1.0), select(row.xy, row.zw, right));
    }

    // BT.601, full range.
    @fragment fn image(in: ImageVertex) -> @location(0) vec4f {
        let y = textureSampleLevel(luma, linear, in.uv, 0.0).r;
        let c = textureSampleLevel(chroma, linear, in.uv, 0.0).rg - 128.0 / 255.0;
        return vec4f(y + 1.402 * c.y, y - 0.3441 * c.x - 0.7141 * c.y, y + 1.772 * c.x, 1.0);
    }

    struct AnchorVertex {
        @builtin(position) clip: vec4f,
        // Position and normal in the world.
        @location(0) position: vec3f,
        @location(1) normal: vec3f,
        @location(2) color: vec3f,
    }

    @vertex fn anchor(@location(0) position: vec3f, @location(1) normal: vec3f, @builtin(instance_index) index: u32) -> AnchorVertex {
        let world = models[index] * vec4f(position, 1.0);
        let clip = frame.clipFromCamera * frame.cameraFromWorld * world;
        return AnchorVertex(clip, world.xyz, (models[index] * vec4f(normal, 0.0)).xyz, faceColor(normal));
    }

    // The colour of a cube's face, by the geometry's own normal: right green, left red, top blue, bottom orange, front (+z) white, back yellow.
    // Other geometry gets the colour of the axis that its normal is nearest to.
    fn faceColor(normal: vec3f) -> vec3f {
        let size = abs(normal);
        if (size.x >= size.y && size.x >= size.z) {
            return select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), normal.x > 0.0);
        }
        if (size.y >= size.z) {
            return select(vec3f(1.0, 0.5, 0.0), vec3f(0.0, 0.0, 1.0), normal.y > 0.0);
        }
        return select(vec3f(1.0, 1.0, 0.0), vec3f(1.0, 1.0, 1.0), normal.z > 0.0);
    }

    // Ambient light, Lambert's cosine, and a highlight around the half vector (Blinn 1977).
    @fragment fn lit(in: AnchorVertex) -> @location(0) vec4f {
        let normal = normalize(in.normal);
        let toLight = -frame.light.xyz;
        let sum = toLight + normalize(frame.eye.xyz - in.position);
        let halfway = sum / max(length(sum), 1e-6);
        let diffuse = saturate(dot(normal, toLight));
        let highlight = pow(saturate(dot(normal, halfway)), frame.light.w);
        return vec4f(in.color * (frame.ambient.rgb + frame.directional.rgb * (diffuse + highlight)), 1.0);
    }
    """
