import VitrineGPU
import VitrineMath

/// What a surface's shader needs to be lit by an `EnvironmentMap`.
///
/// ```swift
/// let code = EnvironmentShader.code(group: 1, firstBinding: 0) + mySurface    // calls environmentSpecular(…)
/// let layout = try device.makeBindGroupLayout("light", EnvironmentShader.layoutEntries(firstBinding: 0))
/// let uniforms = try device.makeBuffer("light", size: EnvironmentUniforms.size, usage: [.uniform, .copyDestination])
/// device.queue.write(value: map.uniforms(rotation: .degrees(30), intensity: 2), to: uniforms)
/// let group = try device.makeBindGroup("light", layout: layout, map.entries(firstBinding: 0, uniforms: uniforms))
/// ```
/// The bindings, from the first: uniforms, specular cube, irradiance cube, sky cube, sampler.
public enum EnvironmentShader {
    /// How many bindings are used.
    public static let bindingCount = 5

    /// WGSL: the bindings and the functions, all of world-space unit directions:
    /// - `environmentSpecular(direction: vec3f, roughness: f32) -> vec3f`: radiance of the GGX lobe around a reflection.
    /// - `environmentIrradiance(normal: vec3f) -> vec3f`: irradiance E; a white diffuse surface's radiance is E / π.
    /// - `environmentSky(direction: vec3f) -> vec3f`: radiance of the visible background.
    public static func code(group: Int, firstBinding: Int) -> String {
        """
        struct EnvironmentUniforms {
            environmentFromWorld: mat3x3f,
            // Factors of light and of the visible sky.
            intensity: f32,
            skyIntensity: f32,
            firstRoughness: f32,
            // Levels per doubling of roughness.
            levelsPerOctave: f32,
        }
        @group(\(group)) @binding(\(firstBinding)) var<uniform> environment: EnvironmentUniforms;
        @group(\(group)) @binding(\(firstBinding + 1)) var environmentSpecularCube: texture_cube<f32>;
        @group(\(group)) @binding(\(firstBinding + 2)) var environmentIrradianceCube: texture_cube<f32>;
        @group(\(group)) @binding(\(firstBinding + 3)) var environmentSkyCube: texture_cube<f32>;
        @group(\(group)) @binding(\(firstBinding + 4)) var environmentSampler: sampler;

        // The mip level of the specular cube. Between two levels their lobes are mixed so that the far tail, which grows as the fourth
        // power of roughness, is right: it makes the halo around bright lamps, where an even mix would be several times too bright.
        fn environmentLevel(roughness: f32) -> f32 {
            let ratio = roughness / environment.firstRoughness;
            if (ratio <= 1.0) { return ratio * ratio * ratio * ratio; }
            let level = 1.0 + environment.levelsPerOctave * log2(ratio);
            let step = exp2(4.0 / environment.levelsPerOctave);
            return floor(level) + (pow(step, fract(level)) - 1.0) / (step - 1.0);
        }

        fn environmentSpecular(direction: vec3f, roughness: f32) -> vec3f {
            let d = environment.environmentFromWorld * direction;
            return textureSampleLevel(environmentSpecularCube, environmentSampler, d, environmentLevel(roughness)).rgb * environment.intensity;
        }

        fn environmentIrradiance(normal: vec3f) -> vec3f {
            let d = environment.environmentFromWorld * normal;
            return textureSampleLevel(environmentIrradianceCube, environmentSampler, d, 0.0).rgb * (environment.intensity * 3.14159265);
        }

        fn environmentSky(direction: vec3f) -> vec3f {
            let d = environment.environmentFromWorld * direction;
            return textureSampleLevel(environmentSkyCube, environmentSampler, d, 0.0).rgb * environment.skyIntensity;
        }

        """
    }

    /// The bindings' layout; see `EnvironmentMap.entries`.
    public static func layoutEntries(firstBinding first: Int, stages: GPUShaderStages = .fragment) -> [GPUBindGroupLayoutEntry] {
        [
            .uniformBuffer(first, stages, minSize: EnvironmentUniforms.size),
            .texture(first + 1, stages, dimension: .cube),
            .texture(first + 2, stages, dimension: .cube),
            .texture(first + 3, stages, dimension: .cube),
            .sampler(first + 4, stages),
        ]
    }
}

/// `EnvironmentUniforms` of the shader, byte for byte.
public struct EnvironmentUniforms: BitwiseCopyable, Sendable {
    /// In bytes.
    public static var size: Int { MemoryLayout<EnvironmentUniforms>.size }

    /// Takes directions in the world to directions in the picture: the three columns.
    public var environmentFromWorld: (Vector4, Vector4, Vector4)
    public var intensity: Float
    public var skyIntensity: Float
    public var firstRoughness: Float
    public var levelsPerOctave: Float

    public init(environmentFromWorld m: Matrix3, intensity: Float, skyIntensity: Float, firstRoughness: Float, levelsPerOctave: Float) {
        environmentFromWorld = (Vector4(m.x, 0), Vector4(m.y, 0), Vector4(m.z, 0))
        self.intensity = intensity
        self.skyIntensity = skyIntensity
        self.firstRoughness = firstRoughness
        self.levelsPerOctave = levelsPerOctave
    }
}

extension EnvironmentMap {
    /// What the shader needs beside the cubes.
    ///
    /// - Parameters:
    ///   - rotation: of the environment in the world, about +Y, right-handed.
    ///   - intensity: factor of light and sky.
    ///   - sky: the visible background where it is another picture.
    public func uniforms(rotation: Angle = .zero, intensity: Float = 1, sky: EnvironmentMap? = nil) -> EnvironmentUniforms {
        let worldFromEnvironment = Matrix3(Quaternion(angle: rotation, axis: .up))
        return uniforms(environmentFromWorld: worldFromEnvironment.transpose, intensity: intensity, sky: sky)
    }

    /// As above, with any rotation.
    public func uniforms(environmentFromWorld: Matrix3, intensity: Float = 1, sky: EnvironmentMap? = nil) -> EnvironmentUniforms {
        let first = Self.firstRoughness(faceSize: specular.width)
        return EnvironmentUniforms(
            environmentFromWorld: environmentFromWorld, intensity: intensity * scale, skyIntensity: intensity * (sky ?? self).scale,
            firstRoughness: first, levelsPerOctave: levelCount > 1 ? Float(levelCount - 2) / log2(1 / first) : 0)
    }

    /// The resources for `EnvironmentShader.layoutEntries`.
    ///
    /// - Parameters:
    ///   - uniforms: holds `EnvironmentUniforms` from `offset`.
    ///   - sky: the visible background where it is another picture.
    public func entries(
        firstBinding first: Int, uniforms: GPUBuffer, offset: Int = 0, sky: EnvironmentMap? = nil
    ) -> [GPUBindGroupEntry] {
        [
            .buffer(first, uniforms, offset..<(offset + EnvironmentUniforms.size)),
            .texture(first + 1, specularView),
            .texture(first + 2, irradianceView),
            .texture(first + 3, (sky ?? self).specularView),
            .sampler(first + 4, sampler),
        ]
    }
}
