/// The sample shader effect. docs/guide/effects.md explains the calls of such functions.
enum SampleShader {
    static let wave = """
        // A distortion effect: moves the point at which each pixel samples its input, in points.
        //
        //     vitrine effect IMAGE --shader wave.wgsl --function wave --kind distortion --arg time --frames 30 -o FOLDER
        fn wave(position: vec2f, time: f32) -> vec2f {
            return position + vec2f(6.0 * sin(position.y / 18.0 + 4.0 * time), 0.0);
        }

        """
}
