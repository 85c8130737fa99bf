// VitrineMotion
